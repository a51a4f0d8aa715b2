package dev.weir.kafka.internal.in.view;

import dev.weir.kafka.view.EncodedRecords;
import dev.weir.kafka.view.RecordViews;
import dev.weir.kafka.view.ViewEncoder;
import dev.weir.lean.BatchView;
import dev.weir.lean.KeptBatches;
import dev.weir.lean.RecordView;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Copies of batches in a row, until they are given back. Confined to one thread at a time: the one that fetches fills
 * it, and has it no more once it is handed out.
 */
public final class KeptViews implements RecordViews {

    private final ViewPool home;

    /** For the owner of the partition: by what it is acknowledged. */
    private long token;

    private @Nullable KeptBatches batches;

    /** Nothing, until {@link #begin}. */
    KeptViews(ViewPool home) {
        this.home = home;
    }

    /** Begins with nothing, whatever it held before. */
    void begin() {
        batches = home.takeBatches();
    }

    /** Notes, for the owner of the partition, by what it will be acknowledged. */
    public void goesOutAs(long itsToken) {
        token = itsToken;
    }

    public long token() {
        return token;
    }

    /**
     * Lets this object serve for other records, if its memory was given back. To be called when the stages it went to
     * have acknowledged it, so that none of them closes it again; one that is still open is left to its holder.
     */
    public void recycle() {
        if (batches == null) {
            home.give(this);
        }
    }

    /** See {@link KeptBatches#add}. */
    public boolean add(BatchView batch) {
        return kept().add(batch);
    }

    /** Leaves out what is at that offset or behind it. */
    public void cutAt(long offset) {
        kept().cutAt(offset);
    }

    public int leaderEpoch() {
        return kept().leaderEpoch();
    }

    private KeptBatches kept() {
        KeptBatches has = batches;
        if (has == null) {
            throw new IllegalStateException(
                    "these records were given back: views belong to one stage at a time, encode them once");
        }
        return has;
    }

    @Override
    public String topic() {
        return kept().topic();
    }

    @Override
    public int partition() {
        return kept().partition();
    }

    @Override
    public long fromOffset() {
        return kept().fromOffset();
    }

    @Override
    public long toOffset() {
        return kept().toOffset();
    }

    @Override
    public int recordCount() {
        return kept().recordCount();
    }

    @Override
    public int sizeBytes() {
        return kept().sizeBytes();
    }

    @Override
    public boolean next() {
        return kept().next();
    }

    @Override
    public RecordView record() {
        return kept().record();
    }

    @Override
    public void rewind() {
        kept().rewind();
    }

    @Override
    public EncodedRecords encode(ViewEncoder encoder) {
        Objects.requireNonNull(encoder, "encoder");
        KeptBatches from = kept();
        from.rewind();
        EncodedElement to = home.takeOutput();
        boolean done = false;
        try {
            while (from.next()) {
                encoder.encode(from.record(), to);
            }
            done = true;
        } finally {
            if (!done) {
                to.release();
            }
        }
        close();
        return to;
    }

    @Override
    public void close() {
        KeptBatches done = batches;
        if (done != null) {
            batches = null;
            home.give(done);
        }
    }

    @Override
    public String toString() {
        return batches == null
                ? "RecordViews[given back]"
                : topic() + "-" + partition() + "@" + fromOffset() + " to " + toOffset();
    }
}
