package dev.weir.checks.jmh;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.SourceQueue;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What a pipeline of 100 stages, 10 of them asynchronous boundaries, costs while nothing comes: the processor time of
 * the whole process, the JVM's own housekeeping included, for which an empty process is measured first. The JDK counts
 * it in steps of 10 ms, here 0.1 %.
 *
 * <p>Run: {@code java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.IdlePipeline}. Takes half a minute and
 * ends with 1 if it is over {@value #ALLOWED_PERCENT} % of a core.
 */
public final class IdlePipeline {

    private static final double ALLOWED_PERCENT = 0.5;
    private static final int STAGES = 100;
    private static final int SECONDS = 10;

    private IdlePipeline() {}

    /** Measures and prints. */
    public static void main(String[] args) throws InterruptedException {
        double empty = percentOfACore();
        SourceQueue<Integer> queue = SourceQueue.of(16);
        CountDownLatch arrived = new CountDownLatch(1);
        Source<Integer> source = Source.queue(queue);
        for (int stage = 2; stage < STAGES; stage++) {
            source = stage % 10 == 0 ? source.async() : source.map(n -> n + 1);
        }
        double idle;
        try (RunningPipeline running =
                source.to(Sink.forEach(n -> arrived.countDown())).run()) {
            // It has run once, so that what is measured is waiting and not starting.
            var offered = queue.offer(1);
            if (!arrived.await(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nothing arrived: " + offered);
            }
            idle = percentOfACore();
            System.out.printf(
                    Locale.ROOT,
                    "%d stages, idle for %d s: %.1f %% of a core (the JVM without them: %.1f %%)%n",
                    running.stages().size(),
                    SECONDS,
                    idle,
                    empty);
            running.cancel();
        }
        System.exit(idle > ALLOWED_PERCENT ? 1 : 0);
    }

    private static double percentOfACore() throws InterruptedException {
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        pause(2);
        long startNanos = System.nanoTime();
        long startCpuNanos = system.getProcessCpuTime();
        pause(SECONDS);
        return 100.0 * (system.getProcessCpuTime() - startCpuNanos) / (System.nanoTime() - startNanos);
    }

    private static void pause(int seconds) throws InterruptedException {
        var ignored = new CountDownLatch(1).await(seconds, TimeUnit.SECONDS);
    }
}
