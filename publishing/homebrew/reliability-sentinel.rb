# A formula for a tap: it installs the published wheels into an environment of its own.
class ReliabilitySentinel < Formula
  desc "Checks whether an LLM agent did what it said it did"
  homepage "https://github.com/reliability-sentinel/reliability-sentinel"
  url "@URL@"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "python@3.13"

  def install
    system "python3.13", "-m", "venv", libexec
    system libexec/"bin/python", "-m", "pip", "install", "--quiet", "reliability-sentinel[standard,mcp]==@VERSION@"
    bin.install_symlink libexec/"bin/sentinel"
  end

  test do
    assert_match "@VERSION@", shell_output("#{bin}/sentinel --version")
    (testpath/"run.jsonl").write <<~JSON
      {"role": "user", "content": "Cancel order 17."}
      {"role": "assistant", "content": "I've cancelled order 17."}
    JSON
    assert_match "claim_without_call", shell_output("#{bin}/sentinel evaluate run.jsonl", 1)
  end
end
