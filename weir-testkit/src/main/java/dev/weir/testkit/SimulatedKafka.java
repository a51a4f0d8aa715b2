package dev.weir.testkit;

import dev.weir.stream.spi.Clock;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The simulated Kafka cluster of a pipeline in a {@link RebalanceSimulation}. Provides the address for the pipeline's
 * consumer, and methods for the pipeline to report its work. Thread-safe; each start of the pipeline gets its own
 * instance.
 */
public interface SimulatedKafka {

    /** Returns the address for {@link dev.weir.kafka.ConsumerSettings}. No socket listens there. */
    String bootstrapServers();

    /**
     * Simulates a handler's side effect for a record. Returns after a simulated time drawn from the seed; from then on,
     * the record counts as done. A pipeline calls this method once for each record, in place of the real side effect,
     * and must not acknowledge the record earlier.
     *
     * @param record the record as emitted by the source, with its topic, partition, offset and leader epoch unchanged
     * @throws java.util.concurrent.CompletionException if the process has crashed or the pipeline interrupts the
     *     handler; the interrupt flag is set, and the work was not done
     */
    void work(ConsumerRecord<?, ?> record);

    /**
     * Simulates the same work as {@link #work}, for use with {@code mapAsync}. The returned stage completes on a
     * simulation thread, and never completes after a crash.
     */
    CompletionStage<Void> workAsync(ConsumerRecord<?, ?> record);

    /**
     * Marks an output record with its source record, so that the simulation knows when outputs are written, and in
     * which order. A pipeline that produces must call this method for each output record. A source record is done when
     * its first output record has been written. The output records of one source record must differ in their topic,
     * key, value or headers, because an output must not be written again in the same assignment.
     *
     * @param source the record as emitted by the source, with its topic, partition, offset and leader epoch unchanged
     * @return the output record with an added header
     */
    <K, V> ProducerRecord<K, V> output(ConsumerRecord<?, ?> source, ProducerRecord<K, V> output);

    /** Returns the simulated clock, for anything that waits, such as {@link dev.weir.kafka.CircuitBreaker#on}. */
    Clock clock();
}
