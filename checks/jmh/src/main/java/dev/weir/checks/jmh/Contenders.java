package dev.weir.checks.jmh;

import java.util.concurrent.CountDownLatch;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ActorSystem;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import reactor.core.publisher.Flux;

/**
 * Runs a stream of each contender to its end, into a {@link Sum}, each in the way of its own manual. Shared by all
 * benchmarks; holds Pekko's actor system, with its default settings.
 */
@State(Scope.Benchmark)
public class Contenders {

    private final ActorSystem system = ActorSystem.create("rival");

    /** Ends the actor system. */
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
}
