package dev.weir.checks.integration.plants;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.LimiterProbe;
import dev.weir.stream.RunningPipeline;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Runs a pipeline with a planted limiter, reads Weir's limiter once, grades the answer, and follows its advice.
 * Confined to one thread.
 */
final class Trial {

    private static final long FLOW_WITHIN_NANOS = Duration.ofSeconds(10).toNanos();
    private static final long RATE_NANOS = Duration.ofMillis(1500).toNanos();
    private static final double GAIN_WORTH_FOLLOWING = 1.1;
    private static final double FULL_MACHINE = 0.85;
    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final Plant plant;
    private final long seed;
    private final Moment moment;
    private final double burnt;
    private final Random random;

    Trial(Plant plant, long seed, Moment moment, double burnt) {
        this.plant = plant;
        this.seed = seed;
        this.moment = moment;
        this.burnt = burnt;
        this.random = Plants.random(seed, 999);
    }

    /** Runs the trial, and closes the plant. */
    Outcome run() throws InterruptedException {
        try (plant;
                RunningPipeline running = plant.pipeline.apply(Tuning.NONE).run();
                LimiterProbe probe = LimiterProbe.start(running)) {
            awaitFlow(plant.kind == PlantKind.IDLE);
            return outcome(running, probe);
        }
    }

    private Outcome outcome(RunningPipeline running, LimiterProbe probe) throws InterruptedException {
        Work work = plant.occupancy.work();
        double unused = SYSTEM.getCpuLoad();
        // Leaves out the first half second, in which the first records are still in flight.
        Work.park(Duration.ofMillis(500).toNanos());
        long spent = work.spentNanos();
        long finished = plant.passed();
        long start = System.nanoTime();
        Work.park(Duration.ofMillis(moment == Moment.START ? 700 + random.nextInt(1500) : 3500)
                .toNanos());
        Duration interval = Duration.ofNanos(System.nanoTime() - start);
        double share = plant.occupancy.of(work.spentNanos() - spent, interval);
        double before = (plant.passed() - finished) * 1e9 / interval.toNanos();
        double load = SYSTEM.getCpuLoad();
        if (running.completion().isDone()) {
            throw new IllegalStateException(
                    "the plant ended too early: " + running.completion().exceptionNow());
        }
        Limiter answer = ask(running, probe);
        Truth truth = truth(load);
        Outcome.Gain gain = moment == Moment.STEADY && answer.expectedGain() > GAIN_WORTH_FOLLOWING
                ? follow(new Advice(answer), answer.expectedGain(), before, running)
                : null;
        running.cancel();
        return new Outcome(
                plant.kind,
                seed,
                plant.shape + String.format(", machine %.0f %%, %.1f/s", load * 100, before),
                moment,
                burnt,
                share,
                plant.occupancy.holds(share),
                truth.toString(),
                answer,
                Outcome.grade(truth, answer),
                gain);
    }

    /** Returns the right answers. On a fully loaded machine, the machine is a right answer for a computing stage. */
    private Truth truth(double load) {
        boolean computes = plant.occupancy.work().means == Work.Means.COMPUTE;
        boolean isFull = load >= FULL_MACHINE || burnt + 1 >= PROCESSORS;
        return computes && isFull ? plant.truth.or(Kind.MACHINE_CPU) : plant.truth;
    }

    private void awaitFlow(boolean isIdle) {
        long deadline = System.nanoTime() + FLOW_WITHIN_NANOS;
        while (!isIdle && plant.passed() == 0 && System.nanoTime() < deadline) {
            Work.park(5_000_000);
        }
    }

    private Limiter ask(RunningPipeline running, LimiterProbe probe) throws InterruptedException {
        if (moment == Moment.DRAIN) {
            Thread drain = Thread.ofVirtual().start(() -> drain(running));
            Work.park(Duration.ofMillis(300).toNanos());
            Limiter answer = probe.limiter();
            running.cancel();
            drain.join();
            return answer;
        }
        if (moment == Moment.END) {
            running.cancel();
            return probe.overall();
        }
        return probe.limiter();
    }

    private static void drain(RunningPipeline running) {
        try {
            var unused = running.drain(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            // Cancelled meanwhile.
        }
    }

    private Outcome.@Nullable Gain follow(Advice advice, double predicted, double before, RunningPipeline running)
            throws InterruptedException {
        Optional<String> lever = advice.applyTo(running);
        if (lever.isPresent()) {
            double after = settledRate();
            advice.undo();
            return new Outcome.Gain(predicted, after / before, lever.get());
        }
        Optional<Tuning> settings = advice.settings();
        if (settings.isEmpty()) {
            return null;
        }
        running.cancel();
        long finished = plant.passed();
        try (RunningPipeline again = plant.pipeline.apply(settings.get()).run()) {
            while (plant.passed() == finished) {
                Work.park(5_000_000);
            }
            double after = settledRate();
            again.cancel();
            return new Outcome.Gain(predicted, after / before, settings.get().toString());
        }
    }

    private double settledRate() {
        Work.park(Duration.ofSeconds(1).toNanos());
        long finished = plant.passed();
        long start = System.nanoTime();
        Work.park(RATE_NANOS);
        return (plant.passed() - finished) * 1e9 / (System.nanoTime() - start);
    }

    /** Returns the rate of a run with these settings, measured for 1.5 s from the first record on. */
    static double rate(Plant plant, Tuning tuning) throws InterruptedException {
        long before = plant.finished.sum();
        long deadline = System.nanoTime() + FLOW_WITHIN_NANOS;
        try (RunningPipeline running = plant.pipeline.apply(tuning).run()) {
            while (plant.finished.sum() == before && System.nanoTime() < deadline) {
                Work.park(1_000_000);
            }
            long start = System.nanoTime();
            long first = plant.finished.sum();
            long lastCount = first;
            long lastAt = start + 1;
            while (System.nanoTime() - start < RATE_NANOS) {
                Work.park(5_000_000);
                long now = plant.finished.sum();
                if (now > lastCount) {
                    lastCount = now;
                    lastAt = System.nanoTime();
                }
            }
            running.cancel();
            return lastCount == first
                    ? (first - before) * 1e9 / RATE_NANOS
                    : (lastCount - before) * 1e9 / (lastAt - start);
        }
    }
}
