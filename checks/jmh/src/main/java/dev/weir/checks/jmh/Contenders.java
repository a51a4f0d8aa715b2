package dev.weir.checks.jmh;

import com.softwaremill.jox.Channel;
import com.typesafe.config.ConfigFactory;
import java.util.concurrent.CountDownLatch;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ActorSystem;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import reactor.core.publisher.Flux;

/**
 * Runs streams of each contender into a {@link Sum}, as the contender's manual recommends. Holds Pekko's actor system,
 * which has default settings except {@link #SETTINGS}.
 */
@State(Scope.Benchmark)
public class Contenders {

    /**
     * Extends the subscription timeout of substreams. With the default of 5 s, some of 100,000 substreams are dropped
     * while the code is being compiled.
     */
    private static final String SETTINGS = "pekko.stream.materializer.subscription-timeout.timeout = 60s";

    private final ActorSystem system =
            ActorSystem.create("rival", ConfigFactory.parseString(SETTINGS).withFallback(ConfigFactory.load()));

    /** Terminates the actor system. */
    @TearDown(Level.Trial)
    public void close() {
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().join();
    }

    ActorSystem system() {
        return system;
    }

    long weir(dev.weir.stream.Source<Integer> source, int expected) throws InterruptedException {
        Sum sum = new Sum();
        try (var running = source.to(dev.weir.stream.Sink.forEach(sum)).run()) {
            var ignored = running.await();
        }
        return sum.of(expected);
    }

    long pekko(org.apache.pekko.stream.javadsl.Source<Integer, NotUsed> source, int expected) {
        Sum sum = new Sum();
        source.runWith(org.apache.pekko.stream.javadsl.Sink.foreach(sum::accept), system)
                .toCompletableFuture()
                .join();
        return sum.of(expected);
    }

    long reactor(Flux<Integer> flux, int expected) throws InterruptedException {
        Sum sum = new Sum();
        CountDownLatch done = new CountDownLatch(1);
        var ignored = flux.subscribe(
                sum,
                failure -> {
                    sum.failed(failure);
                    done.countDown();
                },
                done::countDown);
        done.await();
        return sum.of(expected);
    }

    /** Starts virtual threads that send elements through a channel, and receives them on the calling thread. */
    long jox(Channel<Integer> channel, int senders, Iterable<Integer> each, int expected) throws InterruptedException {
        for (int i = 0; i < senders; i++) {
            var ignored = Thread.startVirtualThread(() -> sendAll(channel, each));
        }
        Sum sum = new Sum();
        for (int i = 0; i < expected; i++) {
            sum.accept(channel.receive());
        }
        return sum.of(expected);
    }

    private static void sendAll(Channel<Integer> channel, Iterable<Integer> elements) {
        try {
            for (Integer element : elements) {
                channel.send(element);
            }
        } catch (InterruptedException ignored) {
            Thread.currentThread().interrupt();
        }
    }
}
