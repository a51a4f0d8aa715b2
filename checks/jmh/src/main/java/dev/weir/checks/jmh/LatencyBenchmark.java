package dev.weir.checks.jmh;

import com.softwaremill.jox.Channel;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.SourceQueue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.stream.BoundedSourceQueue;
import org.apache.pekko.stream.javadsl.Keep;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Measures the time in which a single element reaches a waiting sink on another thread.
 *
 * <p>Run: {@code java -jar checks/jmh/target/benchmarks.jar LatencyBenchmark}. Elements are timed one at a time, from
 * the offer until the benchmark's spinning thread sees the value written by the sink. With 1 hand-over, the sink is
 * directly downstream of the queue; with 2, there is an asynchronous boundary between them. Baselines: Pekko Streams,
 * Reactor, and channels of Jox or ArrayBlockingQueues between virtual threads. Needs two idle processors, because the
 * spinning thread occupies one.
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@State(Scope.Benchmark)
public class LatencyBenchmark {

    /** The number of threads that the element is passed to. */
    @Param({"1", "2"})
    private int handOvers;

    private volatile int seen;
    private int sent;

    private void see(Integer number) {
        seen = number;
    }

    /** Returns the next number. The previous number must have arrived. */
    private Integer next() {
        return ++sent;
    }

    private int awaitSeen() {
        while (seen != sent) {
            Thread.onSpinWait();
        }
        return seen;
    }

    /** A running Weir pipeline. */
    @State(Scope.Benchmark)
    public static class Weir {

        private final SourceQueue<Integer> queue = SourceQueue.of(16);
        private RunningPipeline running =
                Source.<Integer>empty().to(Sink.ignore()).run();

        @Setup(Level.Trial)
        public void start(LatencyBenchmark seer) {
            running.close();
            Source<Integer> source = Source.queue(queue);
            running = (seer.handOvers == 1 ? source : source.async())
                    .to(Sink.forEach(seer::see))
                    .run();
        }

        @TearDown(Level.Trial)
        public void stop() {
            running.close();
        }
    }

    @Benchmark
    public int weir(Weir weir) {
        if (!(weir.queue.offer(next()) instanceof SourceQueue.Enqueued)) {
            throw new IllegalStateException("the queue was not empty");
        }
        return awaitSeen();
    }

    @Benchmark
    public int pekko(Pekko pekko) {
        var ignored = pekko.queue().offer(next());
        return awaitSeen();
    }

    /** A running Pekko stream. */
    @State(Scope.Benchmark)
    public static class Pekko {

        private BoundedSourceQueue<Integer>[] queue = none();

        @SuppressWarnings({"unchecked", "rawtypes"}) // empty
        private static BoundedSourceQueue<Integer>[] none() {
            return new BoundedSourceQueue[1];
        }

        BoundedSourceQueue<Integer> queue() {
            return queue[0];
        }

        @Setup(Level.Trial)
        public void start(LatencyBenchmark seer, Contenders contenders) {
            var source = org.apache.pekko.stream.javadsl.Source.<Integer>queue(16);
            queue[0] = (seer.handOvers == 1 ? source : source.async())
                    .toMat(org.apache.pekko.stream.javadsl.Sink.foreach(seer::see), Keep.left())
                    .run(contenders.system());
        }

        @TearDown(Level.Trial)
        public void stop() {
            queue[0].complete();
        }
    }

    @Benchmark
    public int reactor(Reactor reactor) {
        reactor.sink.tryEmitNext(next()).orThrow();
        return awaitSeen();
    }

    /** A subscribed Reactor flux. */
    @State(Scope.Benchmark)
    public static class Reactor {

        private final Sinks.Many<Integer> sink = Sinks.many().unicast().onBackpressureBuffer();
        private final Scheduler first = Schedulers.newSingle("first");
        private final Scheduler second = Schedulers.newSingle("second");

        @Setup(Level.Trial)
        public void start(LatencyBenchmark seer) {
            Flux<Integer> flux = sink.asFlux().publishOn(first);
            var ignored = (seer.handOvers == 1 ? flux : flux.publishOn(second)).subscribe(seer::see);
        }

        @TearDown(Level.Trial)
        public void stop() {
            sink.tryEmitComplete().orThrow();
            first.dispose();
            second.dispose();
        }
    }

    @Benchmark
    public int jox(Jox jox) throws InterruptedException {
        jox.first.send(next());
        return awaitSeen();
    }

    /** Virtual threads connected by Jox's channels. */
    @State(Scope.Benchmark)
    public static class Jox {

        private final Channel<Integer> first = Channel.newBufferedChannel(16);
        private final Channel<Integer> second = Channel.newBufferedChannel(16);

        @Setup(Level.Trial)
        public void start(LatencyBenchmark seer) {
            Thread.startVirtualThread(() -> receiveAll(first, seer.handOvers == 1 ? seer::see : this::pass));
            if (seer.handOvers == 2) {
                Thread.startVirtualThread(() -> receiveAll(second, seer::see));
            }
        }

        @TearDown(Level.Trial)
        public void stop() {
            first.done();
            second.done();
        }

        private void pass(Integer number) throws InterruptedException {
            second.send(number);
        }

        private static void receiveAll(Channel<Integer> channel, ThrowingConsumer to) {
            try {
                while (channel.receiveOrClosed() instanceof Integer number) {
                    to.accept(number);
                }
            } catch (InterruptedException ignored) {
                Thread.currentThread().interrupt();
            }
        }

        private interface ThrowingConsumer {
            void accept(Integer number) throws InterruptedException;
        }
    }

    @Benchmark
    public int loop(Queues queues) throws InterruptedException {
        queues.first.put(next());
        return awaitSeen();
    }

    /** Virtual threads connected by blocking queues. */
    @State(Scope.Benchmark)
    public static class Queues {

        private final ArrayBlockingQueue<Integer> first = new ArrayBlockingQueue<>(16);
        private final ArrayBlockingQueue<Integer> second = new ArrayBlockingQueue<>(16);
        private final Thread upper = Thread.ofVirtual().unstarted(() -> forward(second));
        private final Thread lower = Thread.ofVirtual().unstarted(this::deliver);

        private LatencyBenchmark seer = new LatencyBenchmark();

        @Setup(Level.Trial)
        public void start(LatencyBenchmark newSeer) {
            seer = newSeer;
            upper.start();
            if (seer.handOvers == 2) {
                lower.start();
            }
        }

        @TearDown(Level.Trial)
        public void stop() {
            upper.interrupt();
            lower.interrupt();
        }

        private void forward(ArrayBlockingQueue<Integer> to) {
            try {
                while (true) {
                    Integer number = first.take();
                    if (seer.handOvers == 1) {
                        seer.see(number);
                    } else {
                        to.put(number);
                    }
                }
            } catch (InterruptedException ignored) {
                Thread.currentThread().interrupt();
            }
        }

        private void deliver() {
            try {
                while (true) {
                    seer.see(second.take());
                }
            } catch (InterruptedException ignored) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
