// Requests that several screens send. Pure.

/**
 * @param {Pick<import("./model.js").Choice, "rules" | "clock" | "seat">} choice
 * @param {"person" | "bot"} [opponents]
 */
export function seekRequest({ rules, clock, seat }, opponents = "person") {
  return {
    type: "seek",
    rules,
    ...(clock ? { clock } : {}),
    ...(seat ? { seat } : {}),
    opponents,
  };
}

/** @param {Pick<import("./model.js").Choice, "rules" | "clock" | "seat">} choice @param {boolean} isPublic */
export function createRequest({ rules, clock, seat }, isPublic) {
  return {
    type: "create",
    rules,
    ...(clock ? { clock } : {}),
    ...(seat ? { seat } : {}),
    public: isPublic,
  };
}
