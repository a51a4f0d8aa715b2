package dev.weir.bench.cluster;

import dev.weir.bench.BenchException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaFuture;

/** Waits for the brokers' answers to the admin client. Stateless. */
final class Asked {

    private Asked() {}

    /** Returns the answer; {@code what} describes the request in the exception if there is none. */
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
