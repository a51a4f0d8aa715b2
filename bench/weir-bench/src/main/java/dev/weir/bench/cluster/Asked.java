package dev.weir.bench.cluster;

import dev.weir.bench.BenchException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaFuture;

/** Waits for the brokers' replies to {@code Admin} requests. Stateless. */
final class Asked {

    private Asked() {}

    /**
     * Waits for a reply and returns it. If the request fails, throws an exception.
     *
     * @param what description of the request for the exception's message
     */
    static <T> T of(String what, KafkaFuture<T> answer) {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw new BenchException("brokers cannot be asked " + what + ": " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }
}
