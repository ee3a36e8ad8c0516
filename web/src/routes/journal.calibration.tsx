import { createFileRoute } from "@tanstack/react-router";

import { CalibrationPage } from "@/rooms/journal/CalibrationPage";

export const Route = createFileRoute("/journal/calibration")({ component: CalibrationPage });
