package dev.weir.testkit;

import dev.weir.stream.spi.Clock;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The Kafka of a pipeline in a {@link RebalanceSimulation}: an address, and methods that report the pipeline's work.
 * Thread-safe; one for each start of the pipeline.
 */
public interface SimulatedKafka {

    /** The address for {@link dev.weir.kafka.ConsumerSettings}. It has no socket. */
    String bootstrapServers();

    /**
     * Simulates the handler's side effect for a record. Returns after the simulated time drawn from the seed; from then
     * on the record counts as done. A pipeline calls it once for each record, in place of the effect, and must not
     * acknowledge the record earlier.
     *
     * @param record as it came from the source, its topic, partition, offset and leader epoch unchanged
     * @throws java.util.concurrent.CompletionException if the process has crashed, or the pipeline interrupts the
     *     handler, with the interrupt flag set; the work was not done
     */
    void work(ConsumerRecord<?, ?> record);

    /** {@link #work} for {@code mapAsync}. The stage completes on a simulation thread, and never after a crash. */
    CompletionStage<Void> workAsync(ConsumerRecord<?, ?> record);

    /**
     * Marks an output with its source record, so that the simulation knows when it is written, and in which order. A
     * producing pipeline calls it for each output; the record is done when the first of its outputs is in its topic.
     *
     * @param source as it came from the source, its topic, partition, offset and leader epoch unchanged
     * @return the output with an added header
     */
    <K, V> ProducerRecord<K, V> output(ConsumerRecord<?, ?> source, ProducerRecord<K, V> output);

    /** The simulated clock, for anything that waits, such as {@link dev.weir.kafka.CircuitBreaker#on}. */
    Clock clock();
}
