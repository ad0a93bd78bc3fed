export const drawHits = () => [];
export const drawPairs = () => [];
export const drawRatings = () => [];
