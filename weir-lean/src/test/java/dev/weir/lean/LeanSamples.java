package dev.weir.lean;

import java.util.concurrent.atomic.LongAdder;

/** A sample of {@code docs/reference/lean.md}, compiled here; {@link LeanThreadsTest} runs such threads. Stateless. */
final class LeanSamples {

    private LeanSamples() {}

    static void threads(LeanSettings settings) {
        LongAdder sum = new LongAdder();
        LeanThreads threads = LeanThreads.builder(settings)
                .topic("clicks", StartAt.beginning())
                .threads(2)
                .records(thread -> record -> sum.add(record.value().getLong(0)))
                .start();
        threads.completion().toCompletableFuture().join(); // until close(), or the first failure
    }
}
