package dev.weir.kafka.view;

/**
 * Records encoded for sending, made from one {@link RecordViews}: an element of
 * {@link dev.weir.kafka.KafkaSink#encoded}, which acknowledges the views when the brokers have all records. Owned by
 * the stage that holds it. The sink reclaims its memory, so it must not be sent twice.
 */
public interface EncodedRecords {

    /** The number of records; if 0, the sink acknowledges at once. */
    int count();

    /** Size in bytes. */
    int sizeBytes();
}
