package dev.weir.kafka.internal.out.client;

import dev.weir.kafka.spi.SurroundingsRegistry;
import dev.weir.stream.spi.StageContext;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks a producer's client five times a second, for as long as its run or its {@code Sender} exists. Runs on a
 * virtual thread, because the sending thread may be blocked in the client.
 */
public final class ClientWatch {

    private static final Logger LOG = LoggerFactory.getLogger(ClientWatch.class);

    private static final long PAUSE_MILLIS = 200;

    private ClientWatch() {}

    /**
     * Starts checks that call {@code look} with the value of {@link System#nanoTime()} until the run ends. The stage
     * also reports the problems that {@code progress} finds. Starts no checks if there are no real brokers.
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

    /** Starts the checks for a client that belongs to no run. The returned object stops them. */
    public static Runnable begin(Map<String, ?> clientConfig, LongConsumer look) {
        if (!SurroundingsRegistry.of(clientConfig).hasBrokers()) {
            return () -> {};
        }
        CountDownLatch end = new CountDownLatch(1);
        Thread.ofVirtual().name("weir-client-watch").start(() -> run(look, end));
        return end::countDown;
    }

    private static void run(LongConsumer look, CountDownLatch end) {
        boolean isWarned = false;
        try {
            while (!end.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
                try {
                    look.accept(System.nanoTime());
                } catch (RuntimeException | Error failed) {
                    // Log and continue. The next checks may find that a lack of memory, for example, has ended the
                    // client's thread.
                    isWarned = isWarned || warned(failed);
                }
            }
        } catch (InterruptedException ended) {
            // Nothing interrupts this thread.
        }
    }

    private static boolean warned(Throwable failed) {
        try {
            LOG.warn("a producer could not be checked, trying again", failed);
            return true;
        } catch (RuntimeException | Error inLog) {
            return false; // there is no place to report it
        }
    }
}
