package dev.weir.cli.tune;

import dev.weir.examples.asimov.AsimovSteps;
import dev.weir.examples.asimov.EventGenerator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** What a step costs alone, on the thread that asks, with nothing else of this process at work. */
final class StepCosts {
    private static final int EVENTS = 1_000;
    private static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long MEASURED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private StepCosts() {}

    /** The cost of today's step over that of the naive one. */
    static double todayOverNaive(Step step, EventGenerator generator) {
        List<Step.Input> inputs = IntStream.range(0, EVENTS)
                .mapToObj(index -> Step.Input.of(MixedSteps.TODAY, generator.value(index)))
                .toList();
        double unused = nanosPerEvent(step, MixedSteps.NAIVE, inputs, WARM_UP_NANOS)
                + nanosPerEvent(step, MixedSteps.TODAY, inputs, WARM_UP_NANOS);
        double naive = nanosPerEvent(step, MixedSteps.NAIVE, inputs, MEASURED_NANOS);
        return nanosPerEvent(step, MixedSteps.TODAY, inputs, MEASURED_NANOS) / naive;
    }

    private static double nanosPerEvent(Step step, AsimovSteps steps, List<Step.Input> inputs, long nanos) {
        // Kept, so that no compiler leaves their making out.
        Object[] results = new Object[inputs.size()];
        long start = System.nanoTime();
        long elapsed = 0;
        long events = 0;
        while (elapsed < nanos) {
            for (int i = 0; i < results.length; i++) {
                results[i] = step.run(steps, inputs.get(i));
            }
            events += results.length;
            elapsed = System.nanoTime() - start;
        }
        return (double) elapsed / events;
    }
}
