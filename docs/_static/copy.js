// A button at each block of code: copies it, of a console session only the commands, without their prompt.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll("div.highlight")) {
    const text = () => {
      const lines = block.querySelector("pre").innerText.split("\n");
      const commands = lines.filter((line) => line.startsWith("$ "));
      return (commands.length ? commands.map((line) => line.slice(2)) : lines).join("\n").trimEnd() + "\n";
    };
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    block.append(button);
  }
});
