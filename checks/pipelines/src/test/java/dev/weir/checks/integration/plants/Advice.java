package dev.weir.checks.integration.plants;

import dev.weir.metrics.Limiter;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.control.DispatcherControl;
import dev.weir.stream.control.RateControl;
import dev.weir.stream.control.StageControl;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Follows advice, either with a control of the running pipeline or with the settings of a new run. */
final class Advice {

    private static final Pattern FROM_TO = Pattern.compile("from ([\\d,]+) to ([\\d,]+)");
    private static final int MOST_WORKERS = 256;

    private final Limiter limiter;
    private final Deque<Runnable> undo = new ArrayDeque<>();

    Advice(Limiter limiter) {
        this.limiter = limiter;
    }

    /** Applies the advice to a running pipeline. Returns the name of the changed control, or empty if there is none. */
    Optional<String> applyTo(RunningPipeline running) {
        OptionalInt figure = figure();
        for (StageControl control : running.handles(StageControl.class)) {
            boolean isIt = limiter.kind() == Kind.STAGE_CPU || limiter.kind() == Kind.STAGE_WAIT;
            if (isIt && figure.isPresent() && control.stage().equals(limiter.name())) {
                widen(running, control.dispatcher(), figure.getAsInt());
                control.parallelism(Math.min(figure.getAsInt(), control.mostAtOnce()));
                return Optional.of("parallelism " + control.parallelism());
            }
        }
        for (DispatcherControl control : running.handles(DispatcherControl.class)) {
            if (limiter.kind() == Kind.DISPATCHER
                    && figure.isPresent()
                    && control.snapshot().name().equals(limiter.name())) {
                control.size(figure.getAsInt());
                return Optional.of("dispatcher size " + figure.getAsInt());
            }
        }
        for (RateControl control : running.handles(RateControl.class)) {
            if (control.stage().equals(limiter.name()) && control.perSecond() > 0) {
                control.perSecond((long) Math.ceil(control.perSecond() * limiter.expectedGain()));
                return Optional.of("rate " + control.perSecond());
            }
        }
        return Optional.empty();
    }

    /** Gives a dispatcher enough threads for all workers of a stage, if the advice says so. */
    private void widen(RunningPipeline running, String dispatcher, int threads) {
        for (DispatcherControl control : running.handles(DispatcherControl.class)) {
            int size = control.snapshot().size();
            if (control.snapshot().name().equals(dispatcher)
                    && limiter.advice().contains("and dispatcher " + dispatcher + " to as many threads")
                    && size < threads) {
                control.size(threads);
                undo.push(() -> control.size(size));
            }
        }
    }

    /** Restores the size of a shared dispatcher, which affects other pipelines. */
    void undo() {
        while (!undo.isEmpty()) {
            undo.pop().run();
        }
    }

    /** Returns the settings of a run that follows the advice, or empty if the advice changes none. */
    Optional<Tuning> settings() {
        int factor = (int) Math.ceil(limiter.expectedGain());
        return switch (limiter.kind()) {
            case STAGE_CPU, STAGE_WAIT ->
                limiter.advice().matches(".*(mapBlocking|mapParallel|mapAsync|forEachBlocking|from [\\d,]+ to).*")
                        ? Optional.of(Tuning.workers(Math.min(MOST_WORKERS, figure().orElse(Math.max(2, factor)))))
                        : Optional.empty();
            case WINDOW, BYTE_BUDGET -> Optional.of(Tuning.widened(Math.max(2, factor)));
            case COMMIT -> Optional.of(Tuning.widened(Math.max(2, factor)));
            default -> Optional.empty();
        };
    }

    private OptionalInt figure() {
        Matcher found = FROM_TO.matcher(limiter.advice());
        return found.find() ? OptionalInt.of(Integer.parseInt(found.group(2).replace(",", ""))) : OptionalInt.empty();
    }
}
