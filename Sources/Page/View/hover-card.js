import { h } from "./dom.js";

const hoverCard = h("div.hover-card", { hidden: true, "aria-hidden": "true" });
const offset = 14;

window.addEventListener("hashchange", () => { hoverCard.hidden = true; });

/** Shows beside the pointer what an element below `place` says in `data-card`. Others find the same in words. */
export function showCards(place) {
  place.addEventListener("pointermove", ({ target, clientX, clientY, pointerType }) => {
    const text = pointerType === "touch" ? undefined : target.closest?.("[data-card]")?.dataset.card;
    hoverCard.hidden = !text;
    if (!text) return;
    if (!hoverCard.isConnected) document.body.append(hoverCard);
    if (hoverCard.textContent !== text) hoverCard.textContent = text;
    const { offsetWidth, offsetHeight } = hoverCard;
    hoverCard.style.setProperty("left", `${Math.max(4, Math.min(clientX + offset, innerWidth - offsetWidth - 8))}px`);
    hoverCard.style.setProperty("top", `${clientY + offset + offsetHeight > innerHeight ? clientY - offset - offsetHeight : clientY + offset}px`);
  });
  place.addEventListener("pointerleave", () => { hoverCard.hidden = true; });
}
