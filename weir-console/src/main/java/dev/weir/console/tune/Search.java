package dev.weir.console.tune;

import dev.weir.console.ControlReport;
import dev.weir.console.tune.TuneReading.Control;
import dev.weir.console.tune.TuneStep.Verdict;
import dev.weir.metrics.Limiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One run of a {@link Tuner}. Confined to the tuning thread.
 *
 * <pre>
 *   best ---- move, tried ---- faster ----------------------------------------> the best
 *     ^           |                                                                ^
 *     |           +-- not clear: both in turns -- faster --------------------------+
 *     |                     |
 *     +---- the next move --+---- taken back, or the guard stopped it
 * </pre>
 */
final class Search {

    /** Maximum number of warm-up windows while the initial rate rises. */
    private static final int MOST_WARM_UPS = 6;

    /** The code is still warming up if the rate rises by more than this factor. */
    private static final double RISES = 1.05;

    /** A pipeline with a smaller backlog, in seconds of work, keeps up. Its rate is the rate of arrivals. */
    private static final double BACKLOG_SECONDS = 1;

    /** An older best rate, in windows, is measured again before the next trial. */
    private static final int STALE_WINDOWS = 8;

    /** The result of an incomplete measurement. */
    private static final Trial NOT_MEASURED = new Trial(0, 1, 1, 1);

    private final TuneTarget target;
    private final RateMeter meter;
    private final Moves moves;
    private final Duration window;
    private final int maxSteps;
    private final Consumer<? super TuneStep> told;

    private final List<TuneStep> steps = new ArrayList<>();
    private final Map<String, Long> initial = new LinkedHashMap<>();

    /** Original values of the settings changed by the current trial; empty between trials. */
    private final Map<String, Long> before = new LinkedHashMap<>();

    private final Guard guard;

    /** Controls that could not be reverted. */
    private final Set<String> stuck = new TreeSet<>();

    private Rate best = new Rate(1, Rate.LEAST_NOISE);
    private long bestAtNanos;

    Search(
            TuneTarget target,
            Guard guard,
            Duration window,
            int maxSteps,
            Moves moves,
            BooleanSupplier stopRequested,
            Consumer<? super TuneStep> told)
            throws InterruptedException {
        this.target = target;
        this.guard = guard;
        this.meter = new RateMeter(target, guard, window, stopRequested);
        this.moves = moves;
        this.window = window;
        this.maxSteps = maxSteps;
        this.told = told;
    }

    TuneReport run() throws InterruptedException {
        meter.last().controls().forEach((key, control) -> initial.put(key, control.value()));
        try {
            return search();
        } catch (Halted halted) {
            return report(halted.end(), halted.reason());
        } catch (InterruptedException | RuntimeException | Error failure) {
            try {
                String refusal = restore();
                if (refusal != null) {
                    failure.addSuppressed(new IllegalStateException(refusal));
                }
            } catch (InterruptedException | RuntimeException | Error second) {
                if (second instanceof InterruptedException) {
                    Thread.currentThread().interrupt();
                }
                failure.addSuppressed(second);
            }
            throw failure;
        }
    }

    private TuneReport search() throws InterruptedException, Halted {
        best = warmUp();
        note(TuneStep.first(best, meter.last().limiter()));
        while (steps.size() < maxSteps) {
            // The last reading may be from a reverted trial.
            meter.refresh();
            if (keepsUp()) {
                return report(
                        TuneReport.End.KEEPS_UP,
                        "the pipeline keeps up with all that arrives: tune it while it has a backlog");
            }
            Move move = moves.next(meter.last());
            if (move == null) {
                return report(
                        TuneReport.End.DONE,
                        "no control brings anything more"
                                + (moves.isBounded() ? " with as many workers as the tuner may give a stage" : ""));
            }
            attempt(move);
        }
        return report(TuneReport.End.MOST_STEPS, "it made " + maxSteps + " steps, as many as it may");
    }

    private Rate warmUp() throws InterruptedException, Halted {
        Rate rate = meter.first();
        for (int i = 0; i < MOST_WARM_UPS; i++) {
            Rate next = meter.measure();
            boolean rises = next.over(rate) >= RISES;
            rate = next;
            if (!rises) {
                break;
            }
        }
        bestAtNanos = meter.last().atNanos();
        return rate;
    }

    private boolean keepsUp() {
        TuneReading now = meter.last();
        Limiter limiter = now.limiter();
        boolean saysSo = limiter != null
                && (limiter.kind() == Limiter.Kind.ARRIVAL || limiter.kind() == Limiter.Kind.SOURCE_IDLE);
        // The limiter's finding may be wrong: a small backlog must confirm that the pipeline waits for input.
        return saysSo && now.backlog() >= 0 && now.backlog() < BACKLOG_SECONDS * best.perSecond();
    }

    private void attempt(Move move) throws InterruptedException, Halted {
        refreshBest();
        guard.onTrial(true);
        try {
            tryOut(move);
        } finally {
            guard.onTrial(false);
        }
    }

    private void tryOut(Move move) throws InterruptedException, Halted {
        TuneReading reading = meter.last();
        move.settings().keySet().forEach(key -> {
            Control control = reading.controls().get(key);
            if (control != null) {
                before.put(key, control.value());
            }
        });
        String refusal = set(move.settings());
        if (refusal != null) {
            moves.inVain(move, false);
            takeBack(move, NOT_MEASURED, Verdict.REFUSED, refusal, reading.limiter());
            return;
        }
        try {
            Trial trial = Trial.of(best, meter.settleAndMeasure(best));
            judge(move, reading, trial.isClear() ? trial : trial.inTurns(turns(move)));
        } catch (Halted halted) {
            if (halted.end() == TuneReport.End.GUARD) {
                moves.guarded(move, reading);
            } else if (halted.end() == TuneReport.End.IDLE) {
                moves.inVain(move, false);
            } else if (halted.end() == TuneReport.End.PIPELINE_ENDED) {
                throw new Halted(halted.end(), halted.reason() + " while this was on trial: " + move.change());
            } else {
                throw halted;
            }
            takeBack(
                    move,
                    NOT_MEASURED,
                    Verdict.GUARDED,
                    halted.reason(),
                    meter.last().limiter());
            guard.takenBack();
            recover();
            if (guard.isSlowAnyway(meter.last())) {
                moves.pardoned(move);
            }
        }
    }

    /** Reverts a step and records its result. Ends the search if the pipeline refuses. */
    private void takeBack(Move move, Trial trial, Verdict verdict, String reason, @Nullable Limiter limiter)
            throws InterruptedException, Halted {
        String refusal = restore();
        if (refusal == null) {
            note(tried(move, trial, verdict, reason, limiter));
        } else {
            note(tried(move, trial, Verdict.STUCK, refusal, limiter));
            throw new Halted(TuneReport.End.NOT_TAKEN_BACK, refusal);
        }
    }

    /** Measures the previous settings again. Ends the search if the guard's fault persists. */
    private void recover() throws InterruptedException, Halted {
        try {
            Rate ignored = meter.settleAndMeasure();
        } catch (Halted halted) {
            if (halted.end() != TuneReport.End.GUARD) {
                throw halted;
            }
            // The effects of the reverted change may last, so ignore a fault in this first measurement.
        }
        measureBest();
    }

    private void refreshBest() throws InterruptedException, Halted {
        if (meter.last().atNanos() - bestAtNanos > STALE_WINDOWS * window.toNanos()) {
            measureBest();
        }
    }

    private void measureBest() throws InterruptedException, Halted {
        best = meter.settleAndMeasure();
        bestAtNanos = meter.last().atNanos();
    }

    private void judge(Move move, TuneReading reading, Trial trial) throws InterruptedException, Halted {
        Verdict equal = move.saves() ? Verdict.CHEAPER : Verdict.EQUAL;
        Verdict verdict = trial.isFaster() ? Verdict.FASTER : trial.isSlower() ? Verdict.SLOWER : equal;
        Limiter limiter = meter.last().limiter();
        if (verdict == Verdict.FASTER || verdict == Verdict.CHEAPER) {
            before.clear();
            best = new Rate(trial.perSecond(), Rate.LEAST_NOISE, meter.supply());
            bestAtNanos = meter.last().atNanos();
            moves.accepted(move, trial.gain(), reading);
            note(tried(move, trial, verdict, "", limiter));
        } else {
            moves.inVain(move, verdict == Verdict.SLOWER);
            takeBack(move, trial, verdict, "", limiter);
        }
    }

    private TuneStep tried(Move move, Trial trial, Verdict verdict, String reason, @Nullable Limiter limiter) {
        return TuneStep.tried(
                steps.size() + 1,
                move,
                trial.perSecond(),
                trial.gain(),
                trial.low(),
                trial.high(),
                verdict,
                reason,
                limiter);
    }

    private void note(TuneStep step) {
        steps.add(step);
        told.accept(step);
    }

    private Trial.Turns turns(Move move) {
        Map<String, Long> old = reversed(before);
        return new Trial.Turns() {
            @Override
            public Rate before() throws InterruptedException, Halted {
                String refusal = set(old);
                if (refusal != null) { // takeBack() tries again, and reports a second refusal
                    throw new Halted(TuneReport.End.GUARD, refusal);
                }
                return meter.settleAndMeasure();
            }

            @Override
            public Rate after() throws InterruptedException, Halted {
                String refusal = set(move.settings());
                if (refusal != null) {
                    throw new Halted(TuneReport.End.GUARD, refusal);
                }
                return meter.settleAndMeasure();
            }
        };
    }

    /** Applies changes. Describes the refused changes; null if there are none. */
    private @Nullable String set(Map<String, Long> settings) throws InterruptedException {
        List<ControlReport.Refusal> refused = target.set(texts(settings)).refused();
        return refused.isEmpty() ? null : words(refused);
    }

    private static Map<String, String> texts(Map<String, Long> settings) {
        Map<String, String> texts = new LinkedHashMap<>();
        settings.forEach((key, value) -> texts.put(key, Long.toString(value)));
        return texts;
    }

    private static String words(List<ControlReport.Refusal> refused) {
        return refused.stream()
                .map(each -> each.key() + "=" + each.value() + " was refused: " + each.reason())
                .collect(Collectors.joining("; "));
    }

    /**
     * Reverts the current trial, if any, even if the thread is interrupted.
     *
     * @return describes refused changes, which stay in force; null if all values were restored
     */
    private @Nullable String restore() throws InterruptedException {
        if (before.isEmpty()) {
            return null;
        }
        boolean interrupted = Thread.interrupted();
        try {
            List<ControlReport.Refusal> refused =
                    target.set(texts(reversed(before))).refused();
            before.clear();
            refused.forEach(each -> stuck.add(each.key()));
            return refused.isEmpty() ? null : "a step was not taken back: " + words(refused);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Reverses the order, so that a stage is reverted before its dispatcher. */
    private static Map<String, Long> reversed(Map<String, Long> settings) {
        Map<String, Long> reversed = new LinkedHashMap<>();
        new ArrayList<>(settings.keySet()).reversed().forEach(key -> reversed.put(key, settings.getOrDefault(key, 0L)));
        return reversed;
    }

    private TuneReport report(TuneReport.End end, String reason) throws InterruptedException {
        String refusal = restore();
        // A pipeline that has ended refuses all changes.
        boolean isStuck = refusal != null && end != TuneReport.End.PIPELINE_ENDED;
        Map<String, Long> changed = new LinkedHashMap<>();
        for (TuneStep step : steps) {
            if (!step.isTakenBack()) {
                changed.putAll(step.settings());
            }
        }
        if (!stuck.isEmpty() && end != TuneReport.End.PIPELINE_ENDED) {
            Map<String, Control> now = target.read().controls();
            changed.replaceAll((key, value) -> valueNow(now, key, value));
            stuck.forEach(key -> changed.put(key, valueNow(now, key, initial.getOrDefault(key, 0L))));
        }
        changed.entrySet().removeIf(each -> each.getValue().equals(initial.get(each.getKey())));
        return new TuneReport(
                steps,
                isStuck ? TuneReport.End.NOT_TAKEN_BACK : end,
                isStuck ? refusal + "; tuning had ended before: " + reason : reason,
                changed,
                meter.counter(),
                moves.leftAlone(meter.last()));
    }

    private static long valueNow(Map<String, Control> now, String key, long otherwise) {
        Control control = now.get(key);
        return control == null ? otherwise : control.value();
    }
}
