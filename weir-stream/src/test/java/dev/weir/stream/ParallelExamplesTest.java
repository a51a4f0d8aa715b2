package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Runs the examples of the parallel operators' Javadoc. */
class ParallelExamplesTest {

    private final Client client = new Client();
    private final List<String> stored = new CopyOnWriteArrayList<>();

    private static final class Client {
        CompletionStage<String> lookUp(String name) {
            return CompletableFuture.supplyAsync(() -> "found " + name);
        }
    }

    private void store(String found) {
        stored.add(found);
    }

    @Test
    void mapAsync() throws Exception {
        Pipeline pipeline = Source.of("a", "b", "c")
                .mapAsync(16, Ordering.byKey(name -> name), name -> client.lookUp(name))
                .to(Sink.forEach(found -> store(found)));
        try (RunningPipeline running = pipeline.run()) {
            running.await();
        }
        assertThat(stored).containsExactlyInAnyOrder("found a", "found b", "found c");
    }

    private record Bank() {
        CompletionStage<Integer> book(int balance, int order) {
            return CompletableFuture.supplyAsync(() -> balance - order);
        }
    }

    private record Storage() {
        CompletionStage<String> append(String sent, String part) {
            return CompletableFuture.supplyAsync(() -> sent + part);
        }
    }

    @Test
    void scanAsyncAndFoldAsync() throws Exception {
        Bank bank = new Bank();
        int account = 100;
        Source<Integer> orders = Source.of(10, 20);
        assertThat(orders.scanAsync(account, (balance, order) -> bank.book(balance, order))
                        .toList())
                .containsExactly(100, 90, 70);
        Storage storage = new Storage();
        String upload = "";
        Source<String> parts = Source.of("a", "b");
        assertThat(parts.foldAsync(upload, (sent, part) -> storage.append(sent, part))
                        .toList())
                .containsExactly("ab");
    }

    @Test
    void adaptive_inEachParallelStage_doesTheSame() throws Exception {
        Parallelism adaptive = Parallelism.adaptive(1, 64);
        AtomicInteger sum = new AtomicInteger();
        Pipeline pipeline = Source.from(IntStream.range(0, 20_000).boxed().toList())
                .mapParallel(adaptive, n -> n + 1)
                .mapBlocking(adaptive, Ordering.byKey(n -> n), n -> n + 1)
                .mapAsync(adaptive, Ordering.input(), n -> CompletableFuture.supplyAsync(() -> n + 1))
                .to(Sink.forEach(sum::addAndGet));
        try (RunningPipeline running = pipeline.run()) {
            running.await();
            assertThat(running.stages()).allMatch(stage -> stage.parallelism() >= 1 && stage.parallelism() <= 64);
        }
        assertThat(sum).hasValue(IntStream.range(0, 20_000).sum() + 60_000);
    }
}
