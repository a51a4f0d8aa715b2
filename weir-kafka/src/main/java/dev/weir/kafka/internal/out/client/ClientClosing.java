package dev.weir.kafka.internal.out.client;

import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes producers in bounded time. A Kafka client may wait forever for its own thread, so a separate daemon thread
 * closes it. Thread-safe and stateless.
 */
public final class ClientClosing {

    /** The longest wait for a client to close after its timeout has expired. */
    static final Duration GRACE = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(ClientClosing.class);

    private ClientClosing() {}

    /**
     * Makes a client stop sending and fail its unacknowledged records, without waiting for it. Repeated calls have no
     * effect.
     */
    public static void begin(Producer<?, ?> client) {
        if (!ClientThread.of(client).tellToFail()) {
            return;
        }
        if (client instanceof LeanClient<?, ?> lean) {
            ClientThread.of(client).closes();
            lean.abort();
        } else if (client instanceof KafkaProducer) {
            var ignored = start(client, Duration.ZERO);
        } else {
            var ignored = close(client, Duration.ZERO);
        }
    }

    /**
     * Closes a client and waits for its thread to end, for at most {@code patience} plus {@link #GRACE}. An interrupt
     * shortens the wait, and the interrupt flag stays set. A call from a callback of the client does not wait.
     *
     * @return whether the client is closed; if not, the log describes the thread that does not end
     */
    public static boolean close(Producer<?, ?> client, Duration patience) {
        ClientThread thread = ClientThread.of(client);
        if (!(client instanceof KafkaProducer) || thread.isCurrent()) {
            thread.closes();
            try {
                client.close(patience);
                return true;
            } catch (KafkaException hangs) {
                LOG.warn("a producer is abandoned: {}", Thrown.reason(hangs));
                return false;
            }
        }
        Thread closing = start(client, patience);
        if (isEnded(closing, patience)) {
            return true;
        }
        LOG.warn("a producer is abandoned: it was closed, and its thread does not end: {}", thread.describe());
        return false;
    }

    private static Thread start(Producer<?, ?> client, Duration patience) {
        ClientThread thread = ClientThread.of(client);
        thread.closes();
        return Thread.ofPlatform().daemon().name("weir-client-close").start(() -> {
            try {
                client.close(patience);
            } catch (RuntimeException failure) {
                LOG.debug("a producer is closed, but not without a fault", failure);
            }
        });
    }

    private static boolean isEnded(Thread closing, Duration patience) {
        boolean interrupted = false;
        long until = System.nanoTime() + saturated(patience.compareTo(Duration.ZERO) > 0 ? patience : Duration.ZERO);
        try {
            while (true) {
                long left = until - System.nanoTime();
                try {
                    return closing.join(Duration.ofNanos(Math.max(1, left)));
                } catch (InterruptedException hurried) {
                    interrupted = true;
                    until = System.nanoTime() + GRACE.toNanos();
                    closing.interrupt();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns the timeout plus the grace period in nanoseconds, at most about a century. */
    private static long saturated(Duration patience) {
        Duration longest = Duration.ofDays(36_500);
        return (patience.compareTo(longest) < 0 ? patience : longest)
                .plus(GRACE)
                .toNanos();
    }
}
