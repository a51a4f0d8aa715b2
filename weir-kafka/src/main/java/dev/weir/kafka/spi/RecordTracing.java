package dev.weir.kafka.spi;

import dev.weir.stream.Source;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Follows each record of a {@link dev.weir.kafka.HandledFlow}, which calls it; {@code weir-otel} has one for
 * OpenTelemetry. Thread-safe. What it throws counts as thrown by the handler.
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

    /** This tracing for records of a consumer group; empty for a share group. Called once for each flow. */
    RecordTracing inGroup(String group);

    /**
     * Adds stages of its own above the decoder. It must hand on the very records that come, each once. Called once
     * for each pipeline that is made of the flow.
     */
    Source<ConsumerRecord<byte[], byte[]>> arriving(Source<ConsumerRecord<byte[], byte[]>> records);

    /**
     * The handler is about to be called, for the first time or again. Called by the handler's thread.
     *
     * @param record with the headers of the record that arrived
     */
    Attempt begin(ConsumerRecord<?, ?> record);

    /**
     * A result is about to be written. Called by the thread of the producing stage.
     *
     * @param record the record that arrived
     * @param result may be given further headers
     */
    void producing(ConsumerRecord<?, ?> record, ProducerRecord<?, ?> result);

    /**
     * One call of a handler. It has come to its end by one of {@link #succeeded} and {@link #failed}, on any thread,
     * before the record goes on; a call that is cancelled by neither.
     */
    interface Attempt extends AutoCloseable {

        /** An attempt that nobody observes. */
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
         * The handler has returned, or thrown; its future may go on. Called by the thread that called {@code begin}.
         */
        @Override
        void close();
    }
}
