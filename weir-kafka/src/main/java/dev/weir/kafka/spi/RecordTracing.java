package dev.weir.kafka.spi;

import dev.weir.stream.Source;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Traces each record of a {@link dev.weir.kafka.HandledRecords}, which calls these methods. {@code weir-otel}
 * implements it for OpenTelemetry. Thread-safe. An exception before the handler is called, or from {@link #producing},
 * fails the record or the run. A later exception is added to the handler's exception, or logged if the handler
 * succeeded.
 */
public interface RecordTracing {

    /** A tracing that does nothing. */
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
     * Returns the tracing to use for a consumer group. Called once per flow.
     *
     * @param group the group id; empty for a share group
     */
    RecordTracing inGroup(String group);

    /**
     * Adds stages before the decoder. These stages pass on each record once and unchanged. Called once for each
     * pipeline created from the flow.
     */
    Source<ConsumerRecord<byte[], byte[]>> arriving(Source<ConsumerRecord<byte[], byte[]>> records);

    /**
     * Reports that the handler is about to be called, or called again. Called by the handler's thread.
     *
     * @param record the record, with the headers that it arrived with
     */
    Attempt begin(ConsumerRecord<?, ?> record);

    /**
     * Reports that a result is about to be written. Called by the thread of the producing stage.
     *
     * @param record the consumed record
     * @param result the record to write, to which headers may be added
     */
    void producing(ConsumerRecord<?, ?> record, ProducerRecord<?, ?> result);

    /**
     * One call of the handler. After the call, and before the record moves on, any thread calls {@link #succeeded} or
     * {@link #failed}. After a cancel, neither is called.
     */
    interface Attempt extends AutoCloseable {

        /** An unobserved attempt. */
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
         * Reports that the handler has returned or thrown. A returned future may still be incomplete. Called by the
         * thread that called {@code begin}.
         */
        @Override
        void close();
    }
}
