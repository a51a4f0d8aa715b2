package dev.weir.bench.cluster;

import dev.weir.bench.BenchException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaFuture;

/** Waits for the brokers' answers to the admin client. Stateless. */
final class Asked {

    private Asked() {}

    /** Waits for an answer and returns it. If there is no answer, the exception names the request by {@code what}. */
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
