// Writes a chat as UI messages, which the AI SDK itself checks.
import { readFileSync } from "node:fs";
import { validateUIMessages } from "ai";

const steps = JSON.parse(readFileSync(0, "utf8"));
const results = Object.fromEntries(steps.flatMap((step) => (step.results ?? []).map((result) => [result.id, result])));
const messages = [];
for (const step of steps.filter((step) => step.role !== "tool")) {
  const parts = step.role === "assistant" ? [{ type: "step-start" }] : [];
  if (step.text) parts.push({ type: "text", text: step.text });
  for (const call of step.calls ?? []) {
    const result = results[call.id];
    const end = result.ok
      ? { state: "output-available", output: result.content }
      : { state: "output-error", errorText: result.content };
    parts.push({ type: `tool-${call.name}`, toolCallId: call.id, input: call.arguments, ...end });
  }
  const last = messages.at(-1);
  if (step.role === "assistant" && last?.role === "assistant") last.parts.push(...parts);
  else
    messages.push({
      id: `m${messages.length + 1}`,
      role: step.role,
      parts,
      ...(step.role === "assistant" ? { metadata: { usage: { inputTokens: 20, outputTokens: 10, totalTokens: 30 } } } : {}),
    });
}
console.log(JSON.stringify(await validateUIMessages({ messages })));
