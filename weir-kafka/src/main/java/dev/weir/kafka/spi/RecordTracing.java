package dev.weir.kafka.spi;

import dev.weir.stream.Source;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Follows each record of a {@link dev.weir.kafka.HandledFlow}, which calls it; {@code weir-otel} provides one for
 * OpenTelemetry. Thread-safe. An exception counts as thrown by the handler.
 */
public interface RecordTracing {

    /** Follows nothing. */
    RecordTracing NONE = new RecordTracing() {
        @Override
        public RecordTracing inGroup(String group) {
            return this;
        }

        @Override
        public Source<ConsumerRecord<byte[], byte[]>> arriving(Source<ConsumerRecord<byte[], byte[]>> records) {
            return records;
        }

        @Override
        public Attempt begin(ConsumerRecord<?, ?> record) {
            return Attempt.NONE;
        }

        @Override
        public void producing(ConsumerRecord<?, ?> record, ProducerRecord<?, ?> result) {}
    };

    /**
     * Returns this tracing for records of a consumer group; the group is empty for a share group. Called once for each
     * flow.
     */
    RecordTracing inGroup(String group);

    /**
     * Adds stages before the decoder. They must pass on each record once and unchanged. Called once for each pipeline
     * made from the flow.
     */
    Source<ConsumerRecord<byte[], byte[]>> arriving(Source<ConsumerRecord<byte[], byte[]>> records);

    /**
     * Reports that the handler is about to be called, for the first time or again. Called by the handler's thread.
     *
     * @param record with the headers of the record that arrived
     */
    Attempt begin(ConsumerRecord<?, ?> record);

    /**
     * Reports that a result is about to be written. Called by the thread of the producing stage.
     *
     * @param record the record that arrived
     * @param result may be given further headers
     */
    void producing(ConsumerRecord<?, ?> record, ProducerRecord<?, ?> result);

    /**
     * One call of the handler. It ends with {@link #succeeded} or {@link #failed}, on any thread, before the record
     * continues; a cancelled call ends with neither.
     */
    interface Attempt extends AutoCloseable {

        /** An attempt that nothing observes. */
        Attempt NONE = new Attempt() {
            @Override
            public void succeeded() {}

            @Override
            public void failed(Throwable failure) {}

            @Override
            public void close() {}
        };

        void succeeded();

        void failed(Throwable failure);

        /**
         * Reports that the handler has returned or thrown; its future may still be running. Called by the thread that
         * called {@code begin}.
         */
        @Override
        void close();
    }
}
