package dev.weir.kafka.view;

/**
 * Records to be sent, encoded as in a batch, made of one {@link RecordViews}: an element of {@link
 * dev.weir.kafka.KafkaSink#encoded}, which acknowledges those views when the brokers have all of them. Owned by the
 * stage that has it; the sink takes its memory back, so it must not be sent twice.
 */
public interface EncodedRecords {

    /** The number of them; with none, the sink acknowledges at once. */
    int count();

    /** Size in bytes. */
    int sizeBytes();
}
