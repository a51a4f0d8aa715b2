package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.internal.in.view.ViewPool;
import dev.weir.lean.internal.batch.BatchReader;
import dev.weir.lean.internal.batch.Decompressor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;

/** Creates elements that hold several records. Stateless. */
public final class FetchedRows {

    private FetchedRows() {}

    /**
     * Returns an element with the offsets from {@code from} (inclusive) to {@code to} (exclusive) of partition
     * {@code t-0}. The timestamp of a record is its offset.
     */
    public static FetchedRow row(ViewPool pool, long from, long to) {
        MemoryRecordsBuilder batch =
                MemoryRecords.builder(ByteBuffer.allocate(10_000), Compression.NONE, TimestampType.CREATE_TIME, from);
        for (long offset = from; offset < to; offset++) {
            batch.append(offset, new byte[1], new byte[10]);
        }
        ByteBuffer built = batch.build().buffer();
        ByteBuffer bytes =
                ByteBuffer.allocateDirect(built.remaining()).put(built).rewind();
        BatchReader reader = new BatchReader(new Decompressor(1));
        reader.of("t", 0, 0);
        reader.open(bytes, 0, bytes.limit(), from);
        reader.start();
        List<Fetched> rows = new ArrayList<>();
        int ignored = FetchedMaker.keeping(pool).keep(rows, reader);
        reader.close();
        return (FetchedRow) rows.getFirst();
    }
}
