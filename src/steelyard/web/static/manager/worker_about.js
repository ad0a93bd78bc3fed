export const drawAbout = () => [];
