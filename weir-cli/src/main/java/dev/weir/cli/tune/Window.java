package dev.weir.cli.tune;

import dev.weir.metrics.MachineLook;
import dev.weir.metrics.PipelineLook;
import dev.weir.stream.StageSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The part of a run that is measured. Immutable.
 *
 * @param from the look that it begins with
 * @param until how many events are acknowledged at its end: more than at its beginning, and never more than there are
 * @param expected how long it will take by the rate so far; zero if too little was seen to say
 */
record Window(PipelineLook from, long until, Duration expected) {
    static final double MEASURED_UNTIL = 0.95;

    /**
     * The window behind the warm-up. If no event is left then, it begins earlier.
     *
     * @param beforeRun when nothing was acknowledged
     * @param first after the first acknowledgement
     * @param warm after the warm-up
     */
    static Window of(PipelineLook beforeRun, PipelineLook first, PipelineLook warm, int events) {
        PipelineLook from = Stream.of(warm, first)
                .filter(look -> acknowledged(look.stages()) < events)
                .findFirst()
                .orElse(beforeRun);
        long begin = acknowledged(from.stages());
        long until = Math.min(events, Math.max((long) (MEASURED_UNTIL * events), begin + 1));
        boolean known = from == warm && begin > acknowledged(first.stages());
        Duration expected =
                known ? Duration.ofNanos((long) ((until - begin) / rate(first, warm) * 1e9)) : Duration.ZERO;
        return new Window(from, until, expected);
    }

    /**
     * A look at a time when the pipeline did not exist.
     *
     * @param later a look at it
     */
    static PipelineLook beforeRun(PipelineLook later, long atNanos, MachineLook machine) {
        List<StageSnapshot> untouched = later.stages().stream()
                .map(stage -> StageSnapshot.of(stage.name(), stage.parallelism(), 0, 0, 0, 0, 0, 0, 0))
                .toList();
        return PipelineLook.of(
                atNanos,
                untouched,
                later.activity(),
                later.consumers(),
                later.producers(),
                later.paces(),
                later.shares(),
                machine);
    }

    /** The number of records the broker has of those that the pipeline sent. */
    static long acknowledged(List<StageSnapshot> stages) {
        return stages.getLast().elementsOut();
    }

    /** Events acknowledged per second. */
    static double rate(PipelineLook from, PipelineLook to) {
        return (acknowledged(to.stages()) - acknowledged(from.stages()))
                * 1e9
                / Math.max(1, to.atNanos() - from.atNanos());
    }
}
