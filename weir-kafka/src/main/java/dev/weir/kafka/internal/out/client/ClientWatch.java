package dev.weir.kafka.internal.out.client;

import dev.weir.kafka.spi.SurroundingsRegistry;
import dev.weir.stream.spi.StageContext;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Looks five times a second whether a producer's client still works, as long as its run or its {@code Sender} lasts. A
 * virtual thread of its own does that: who writes may wait in that client, and who asks the brokers for them.
 */
public final class ClientWatch {

    private static final long PAUSE_MILLIS = 200;

    private ClientWatch() {}

    /**
     * Begins; calls {@code look} with {@link System#nanoTime()} each time, and has the stage say what {@code progress}
     * finds. Without brokers there is nothing to look at.
     */
    public static void begin(
            Map<String, ?> clientConfig, ClientProgress progress, StageContext context, LongConsumer look) {
        context.trouble(progress::trouble);
        Runnable end = begin(clientConfig, look);
        context.onTermination(patience -> {
            end.run();
            return "";
        });
    }

    /** The same without a run; what it returns ends it. */
    public static Runnable begin(Map<String, ?> clientConfig, LongConsumer look) {
        if (!SurroundingsRegistry.of(clientConfig).hasBrokers()) {
            return () -> {};
        }
        CountDownLatch end = new CountDownLatch(1);
        Thread.ofVirtual().name("weir-client-watch").start(() -> run(look, end));
        return end::countDown;
    }

    private static void run(LongConsumer look, CountDownLatch end) {
        try {
            while (!end.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
                look.accept(System.nanoTime());
            }
        } catch (InterruptedException ended) {
            // Nobody does that; it ends as well.
        }
    }
}
