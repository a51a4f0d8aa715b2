package dev.weir.testkit.internal.simulation;

import dev.weir.kafka.spi.SurroundingsRegistry;
import dev.weir.stream.DrainReport;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.SimulationViolation;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Runs the simulation of one seed, including all starts of its process. Confined to one thread. */
public final class SimulationRun {

    /** Timeout of a process, in real time. */
    private static final long LIMIT_SECONDS = 120;

    /** Maximum number of starts of the process. No plan has that many crashes and redeployments. */
    private static final int MAX_STARTS = 50;

    private static final AtomicLong RUNS = new AtomicLong();

    private final Scenario scenario;
    private final long seed;
    private final World world;

    public SimulationRun(Scenario scenario, long seed) {
        this.scenario = scenario;
        this.seed = seed;
        this.world = new World(scenario, seed);
    }

    /**
     * Runs the simulation. May be called only once.
     *
     * @return the events, one per line
     */
    public List<String> run() {
        String address = "simulation-" + RUNS.incrementAndGet() + ":9092";
        SurroundingsRegistry.put(address, world);
        try {
            SurroundingsRegistry.within(world, () -> runProcesses(address));
            return world.history().lines();
        } finally {
            world.ledger().discard();
            SurroundingsRegistry.remove(address);
        }
    }

    private void runProcesses(String address) {
        for (int starts = 0; !world.isThrough(); starts++) {
            if (starts == MAX_STARTS) {
                throw violation("the pipeline has ended by itself " + starts + " times", null);
            }
            runProcess(world.start(address));
        }
    }

    private void runProcess(SimulatedProcess process) {
        RunningPipeline running;
        try {
            running = scenario.pipeline().apply(process).on(world.clock()).run();
        } catch (RuntimeException | Error failure) {
            process.doesNotRun(failure);
            throw violation("the pipeline does not start: " + failure, failure);
        }
        process.runs(running);
        Throwable failure = awaitEnd(running);
        String violated = world.ledger().violation();
        if (violated != null) {
            throw violation(violated, failure instanceof SimulatedProcess.Gone ? null : failure);
        }
        if (failure != null && !(failure instanceof SimulatedProcess.Gone) && !world.excuses(failure)) {
            throw violation("the pipeline failed: " + failure, failure);
        }
        if (!process.isConnected()) {
            throw violation("the pipeline consumes nothing from " + process.bootstrapServers(), null);
        }
    }

    private @Nullable Throwable awaitEnd(RunningPipeline running) {
        try {
            DrainReport report = running.completion().get(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (!report.leftUndone().isEmpty()) {
                world.ledger().violate("a stop in order left undone: " + report.leftUndone());
            }
            return null;
        } catch (ExecutionException failed) {
            return failed.getCause();
        } catch (TimeoutException late) {
            running.cancel();
            throw violation("the pipeline has not ended within " + LIMIT_SECONDS + " s of real time", late);
        } catch (InterruptedException interrupted) {
            running.cancel();
            Thread.currentThread().interrupt();
            throw violation("interrupted", interrupted);
        }
    }

    private SimulationViolation violation(String what, @Nullable Throwable cause) {
        return new SimulationViolation(seed, what, world.history().lines(), cause);
    }
}
