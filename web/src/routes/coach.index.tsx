import { createFileRoute } from "@tanstack/react-router";

import { CoachPage } from "@/rooms/coach/CoachPage";
import { coachSearch } from "@/rooms/coach/places";

export const Route = createFileRoute("/coach/")({ validateSearch: coachSearch, component: CoachPage });
