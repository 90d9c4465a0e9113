// Requests that several screens send. Pure.

/** @param {Pick<import("./model.js").Choice, "rules" | "clock" | "seat">} choice */
export function seekRequest({ rules, clock, seat }) {
  return {
    type: "seek",
    rules,
    ...(clock ? { clock } : {}),
    ...(seat ? { seat } : {}),
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
