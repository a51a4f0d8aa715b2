package dev.weir.checks.integration.plants;

import dev.weir.metrics.Limiter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The result of one trial. */
record Outcome(
        PlantKind kind,
        long seed,
        String shape,
        Moment moment,
        double burnt,
        double occupancy,
        boolean holds,
        String expected,
        Limiter answer,
        Verdict verdict,
        @Nullable Gain gain) {

    /** The grade of an answer. */
    enum Verdict {
        /** Kind and subject are right. */
        RIGHT,
        /** An incomplete answer: without the subject, or with the right answer as one of two candidates. */
        VAGUE,
        /** Wrong, but stated as unsure. */
        WRONG_UNSURE,
        WRONG
    }

    /** The predicted gain of applied advice, and the measured gain. */
    record Gain(double predicted, double measured, String lever) {

        boolean came() {
            return measured - 1 >= (predicted - 1) / 2;
        }
    }

    /** Grades {@code answer} for a plant with this truth. */
    static Verdict grade(Truth truth, Limiter answer) {
        String text = answer.sentence() + "; " + answer.advice();
        boolean isUnsure = isUnsure(text.toLowerCase(Locale.ROOT));
        if (truth.isRight(answer)) {
            return isUnsure && !truth.isSeveral() ? Verdict.VAGUE : Verdict.RIGHT;
        }
        if (isUnsure && (truth.isNamedIn(text) || text.startsWith("measuring"))) {
            return Verdict.VAGUE;
        }
        if (truth.isNear(answer)) {
            return Verdict.VAGUE;
        }
        return isUnsure ? Verdict.WRONG_UNSURE : Verdict.WRONG;
    }

    private static boolean isUnsure(String text) {
        return text.startsWith("measuring") || text.contains("it may as well be ");
    }

    String line() {
        return String.format(
                Locale.ROOT,
                "%-12s seed %d %s, %s of burn %.1f, at work %.2f%s%n    %s%n    expected %s, answered %s %s: %s; %s (gain %.2f)%s",
                verdict,
                seed,
                kind.text,
                moment,
                burnt,
                occupancy,
                holds ? "" : " DOES NOT HOLD",
                shape,
                expected,
                answer.kind().id(),
                answer.name(),
                answer.sentence(),
                answer.advice(),
                answer.expectedGain(),
                gain == null
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                "%n    advice by %s: predicted %.2f, measured %.2f%s",
                                gain.lever,
                                gain.predicted,
                                gain.measured,
                                gain.came() ? "" : " DID NOT COME"));
    }
}
