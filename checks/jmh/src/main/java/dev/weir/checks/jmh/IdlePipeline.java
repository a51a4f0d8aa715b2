package dev.weir.checks.jmh;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.SourceQueue;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures the processor time of pipelines without elements: one of 100 stages with 10 asynchronous boundaries, and 200
 * of six stages with two boundaries. The pipelines process elements at full speed first. Also measures a pipeline with
 * an element every millisecond, the loop that sends these elements, and an empty process. The JDK reports processor
 * time in steps of 10 ms, which is 0.1 % here.
 *
 * <p>Run: {@code java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.IdlePipeline}. Takes a minute. The exit
 * code is 1 if an idle pipeline uses more than {@value #ALLOWED_PERCENT} % of a core.
 */
public final class IdlePipeline {

    private static final double ALLOWED_PERCENT = 0.5;
    private static final int STAGES = 100;
    private static final int PIPELINES = 200;
    private static final int SECONDS = 10;
    private static final int QUICK_ELEMENTS = 2_000;

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private IdlePipeline() {}

    /** A running pipeline, its input queue, and the number of elements at its sink. */
    private record Fed(SourceQueue<Integer> queue, AtomicInteger arrived, RunningPipeline running) {

        static Fed of(int stages, int stagesPerBoundary) {
            SourceQueue<Integer> queue = SourceQueue.of(16);
            AtomicInteger arrived = new AtomicInteger();
            Source<Integer> source = Source.queue(queue);
            for (int stage = 2; stage < stages; stage++) {
                source = stage % stagesPerBoundary == 0 ? source.async() : source.map(n -> n + 1);
            }
            return new Fed(
                    queue,
                    arrived,
                    source.to(Sink.forEach(n -> arrived.incrementAndGet())).run());
        }

        void offerOne() {
            if (!(queue.offer(1) instanceof SourceQueue.Enqueued)) {
                throw new IllegalStateException("the queue is full");
            }
        }

        void carry(int elements) {
            for (int n = 0; n < elements; n++) {
                int before = arrived.get();
                offerOne();
                while (arrived.get() == before) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    /** Measures and prints the results. */
    public static void main(String[] args) throws InterruptedException {
        double empty = percentOfACore(IdlePipeline::idle);
        double sleeping = percentOfACore(() -> eachMillisecond(() -> {}));
        boolean within = isWithin(STAGES + " stages", List.of(Fed.of(STAGES, 10)), empty);
        List<Fed> many = new ArrayList<>();
        for (int n = 0; n < PIPELINES; n++) {
            many.add(Fed.of(6, 2));
        }
        within &= isWithin(PIPELINES + " pipelines", many, empty);
        Fed seldom = Fed.of(6, 2);
        seldom.carry(QUICK_ELEMENTS);
        print("an element each millisecond", percentOfACore(() -> eachMillisecond(seldom::offerOne)), sleeping);
        seldom.running().cancel();
        System.exit(within ? 0 : 1);
    }

    private static boolean isWithin(String what, List<Fed> pipelines, double empty) throws InterruptedException {
        pipelines.forEach(fed -> fed.carry(QUICK_ELEMENTS));
        double idle = percentOfACore(IdlePipeline::idle);
        print(what + ", idle", idle, empty);
        pipelines.forEach(fed -> fed.running().cancel());
        return idle <= ALLOWED_PERCENT;
    }

    private static void print(String what, double percent, double without) {
        System.out.printf(
                Locale.ROOT,
                "%s for %d s: %.1f %% of a core (the JVM without them: %.1f %%)%n",
                what,
                SECONDS,
                percent,
                without);
    }

    /** The measured work. It runs for {@link #SECONDS} seconds. */
    private interface Course {
        void go() throws InterruptedException;
    }

    private static double percentOfACore(Course course) throws InterruptedException {
        pause(2);
        long startNanos = System.nanoTime();
        long startCpuNanos = SYSTEM.getProcessCpuTime();
        course.go();
        return 100.0 * (SYSTEM.getProcessCpuTime() - startCpuNanos) / (System.nanoTime() - startNanos);
    }

    private static void idle() throws InterruptedException {
        pause(SECONDS);
    }

    private static void pause(int seconds) throws InterruptedException {
        var ignored = new CountDownLatch(1).await(seconds, TimeUnit.SECONDS);
    }

    private static void eachMillisecond(Runnable what) {
        long startNanos = System.nanoTime();
        long millis = TimeUnit.SECONDS.toMillis(SECONDS);
        for (long n = 1; n <= millis; n++) {
            what.run();
            LockSupport.parkNanos(startNanos + TimeUnit.MILLISECONDS.toNanos(n) - System.nanoTime());
        }
    }
}
