package dev.weir.bench.cluster;

import dev.weir.bench.BenchException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaFuture;

/** Waits for what brokers answer to the admin client. Stateless. */
final class Asked {

    private Asked() {}

    /** The answer; {@code what} they were asked says the exception that they gave none. */
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
