package dev.weir.cli.tune;

import dev.weir.examples.asimov.AsimovSteps;
import dev.weir.examples.asimov.EventGenerator;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Measures what a step costs alone, on the thread that asks, with nothing else of this process at work. */
final class StepCosts {
    private static final int EVENTS = 500;
    private static final int ROUNDS = 30;

    /** Warm is what the JIT compiler is done with: so many rounds without its work, if not more in all. */
    private static final int QUIET_ROUNDS = 10;

    private static final int MOST_WARM_UP_ROUNDS = 60;
    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private StepCosts() {}

    /** The cost of today's step over that of the naive one. */
    static double todayOverNaive(Step step, EventGenerator generator) {
        List<Step.Input> inputs = IntStream.range(0, EVENTS)
                .mapToObj(index -> Step.Input.of(MixedSteps.TODAY, generator.value(index)))
                .toList();
        warmUp(step, inputs);
        double naive = 0;
        double today = 0;
        // In turns, so that whatever else the machine does meanwhile hits both; all rounds, since collections count.
        for (int round = 0; round < ROUNDS; round++) {
            naive += nanosPerEvent(step, MixedSteps.NAIVE, inputs);
            today += nanosPerEvent(step, MixedSteps.TODAY, inputs);
        }
        return today / naive;
    }

    private static void warmUp(Step step, List<Step.Input> inputs) {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        long compiledMillis = -1;
        int quiet = 0;
        for (int round = 0; round < MOST_WARM_UP_ROUNDS && quiet < QUIET_ROUNDS; round++) {
            double unused =
                    nanosPerEvent(step, MixedSteps.NAIVE, inputs) + nanosPerEvent(step, MixedSteps.TODAY, inputs);
            long now = compiler == null ? round : compiler.getTotalCompilationTime();
            quiet = now == compiledMillis ? quiet + 1 : 0;
            compiledMillis = now;
        }
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
