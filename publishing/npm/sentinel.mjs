#!/usr/bin/env node
// Runs the Sentinel of this package's version, in a Python environment that it makes on first use: with uv, which brings Python, or
// with python3 -m venv. The environment stays, so that a hook that "sentinel hook install" writes finds its command there.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const WINDOWS = process.platform === "win32";
const OLDEST = [3, 11];
const LONGEST = 600; // seconds to make an environment, after which a lock is given up; that of a process that is gone is, at once
const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const PYTHON_VERSION = version.replace(/-(a|b|rc)\.?(\d+)$/, "$1$2"); // as the Python index writes it
const PACKAGE = process.env.SENTINEL_PACKAGE || `reliability-sentinel[standard,mcp]==${PYTHON_VERSION}`;
const DATA = WINDOWS ? process.env.LOCALAPPDATA : process.env.XDG_DATA_HOME;
const HOME = join(DATA || join(homedir(), WINDOWS ? "AppData/Local" : ".local/share"), "reliability-sentinel", "npx");
const FOLDER = join(HOME, version);
const READY = join(FOLDER, ".ready");
const BIN = join(FOLDER, WINDOWS ? "Scripts" : "bin");

class Problem extends Error {}

function run(program, options, more = {}) {
  return spawnSync(program, options, { encoding: "utf8", windowsHide: true, ...more });
}

function newestPython() {
  const code = "import sys; print(*sys.version_info[:2])";
  for (const program of WINDOWS ? ["py", "python"] : ["python3", "python"]) {
    const [major, minor] = (run(program, ["-c", code]).stdout || "").trim().split(" ").map(Number);
    if (major === OLDEST[0] && minor >= OLDEST[1]) return program;
  }
  return null;
}

// The commands that make the environment.
function steps() {
  const python = join(BIN, "python");
  if (run("uv", ["--version"]).status === 0) {
    return [
      ["uv", ["venv", "--quiet", ...(process.env.UV_PYTHON ? [] : ["--python", `>=${OLDEST.join(".")}`]), FOLDER]],
      ["uv", ["pip", "install", "--quiet", "--python", python, PACKAGE]],
    ];
  }
  const found = newestPython();
  if (found === null) {
    throw new Problem(`needs uv or Python ${OLDEST.join(".")}: install uv (https://docs.astral.sh/uv), then run this again`);
  }
  return [
    [found, ["-m", "venv", FOLDER]],
    [python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE]],
  ];
}

function make() {
  const all = steps();
  rmSync(FOLDER, { recursive: true, force: true });
  process.stderr.write(`sentinel: setting up ${PACKAGE} in ${FOLDER}, once\n`);
  for (const [program, options] of all) {
    const done = run(program, options);
    if (done.status !== 0) {
      rmSync(FOLDER, { recursive: true, force: true });
      const why = (done.stderr || String(done.error)).trim().split("\n").filter(Boolean).at(-1);
      throw new Problem(`"${program} ${options.slice(0, 3).join(" ")} …" failed: ${why}`);
    }
  }
  writeFileSync(READY, PACKAGE);
}

const isReady = () => existsSync(READY) && readFileSync(READY, "utf8") === PACKAGE;

// A hook's time may end while the environment is made: the process is gone, and its lock stays.
function isGivenUp(lock) {
  const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  if (Date.now() - since > LONGEST * 1000) return true;
  try {
    process.kill(Number(readFileSync(join(lock, "pid"), "utf8")), 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

// One process makes the environment; others wait for it.
async function ready() {
  const lock = `${FOLDER}.lock`;
  mkdirSync(HOME, { recursive: true });
  while (!isReady()) {
    try {
      mkdirSync(lock);
      writeFileSync(join(lock, "pid"), String(process.pid));
    } catch (error) {
      if (error.code !== "EEXIST") throw new Problem(`cannot write to ${HOME}: ${error.message}`);
      if (isGivenUp(lock)) rmSync(lock, { recursive: true, force: true });
      await wait(200);
      continue;
    }
    try {
      if (!isReady()) make();
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
}

try {
  await ready();
  const path = `${BIN}${WINDOWS ? ";" : ":"}${process.env.PATH ?? ""}`;
  const done = run(join(BIN, WINDOWS ? "sentinel.exe" : "sentinel"), process.argv.slice(2), {
    stdio: "inherit",
    env: { ...process.env, PATH: path },
  });
  if (done.error) throw new Problem(`cannot start: ${done.error.message}; remove ${FOLDER} and run this again`);
  process.exitCode = done.status ?? 1;
} catch (error) {
  process.stderr.write(`sentinel: error: ${error instanceof Problem ? error.message : `${error.message} (npx)`}\n`);
  process.exitCode = 3;
}
