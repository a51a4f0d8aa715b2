package dev.weir.kafka.view;

/**
 * Records encoded from one {@link RecordViews}, for {@link dev.weir.kafka.KafkaSink#encoded}. The sink acknowledges the
 * views when the brokers have acknowledged all records. Used only by the stage that is processing the element. The sink
 * reuses the element's memory, so an element must not be sent twice.
 */
public interface EncodedRecords {

    /** Returns the number of records. If it is 0, the sink acknowledges the element immediately. */
    int count();

    /** Returns the size in bytes. */
    int sizeBytes();
}
