package dev.weir.kafka.view;

/**
 * Records that were encoded from one {@link RecordViews} and are ready to be sent: an element of
 * {@link dev.weir.kafka.KafkaSink#encoded}, which acknowledges the views when the brokers have acknowledged all of the
 * records. Owned by the stage that holds it. The sink reclaims its memory, so it must not be sent twice.
 */
public interface EncodedRecords {

    /** Returns the number of records. If it is 0, the sink acknowledges the element immediately. */
    int count();

    /** Returns the size in bytes. */
    int sizeBytes();
}
