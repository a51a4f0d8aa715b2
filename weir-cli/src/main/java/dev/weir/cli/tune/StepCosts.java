package dev.weir.cli.tune;

import dev.weir.examples.asimov.AsimovSteps;
import dev.weir.examples.asimov.EventGenerator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** What a step costs alone, on the thread that asks, with nothing else of this process at work. */
final class StepCosts {
    private static final int EVENTS = 500;
    private static final int ROUNDS = 30;
    private static final int WARM_UP_ROUNDS = 40;
    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private StepCosts() {}

    /** The cost of today's step over that of the naive one. */
    static double todayOverNaive(Step step, EventGenerator generator) {
        List<Step.Input> inputs = IntStream.range(0, EVENTS)
                .mapToObj(index -> Step.Input.of(MixedSteps.TODAY, generator.value(index)))
                .toList();
        double naive = 0;
        double today = 0;
        // In turns, so that whatever else the machine does meanwhile hits both; all rounds, since collections count.
        for (int round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
            double naiveNow = nanosPerEvent(step, MixedSteps.NAIVE, inputs);
            double todayNow = nanosPerEvent(step, MixedSteps.TODAY, inputs);
            if (round >= WARM_UP_ROUNDS) {
                naive += naiveNow;
                today += todayNow;
            }
        }
        return today / naive;
    }

    private static double nanosPerEvent(Step step, AsimovSteps steps, List<Step.Input> inputs) {
        // Kept, so that no compiler leaves their making out.
        Object[] results = new Object[inputs.size()];
        long start = System.nanoTime();
        long elapsed = 0;
        long events = 0;
        while (elapsed < ROUND_NANOS) {
            for (int i = 0; i < results.length; i++) {
                results[i] = step.run(steps, inputs.get(i));
            }
            events += results.length;
            elapsed = System.nanoTime() - start;
        }
        return (double) elapsed / events;
    }
}
