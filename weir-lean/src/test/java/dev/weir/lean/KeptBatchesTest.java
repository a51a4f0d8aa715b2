package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.internal.batch.BatchReader;
import dev.weir.lean.internal.batch.Batches;
import dev.weir.lean.internal.batch.Decompressor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.kafka.common.record.internal.CompressionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that copied batches return the same records after the original bytes are overwritten. */
class KeptBatchesTest {

    private static final int PER_BATCH = 10;
    private static final int LARGE = 1024 * 1024;

    private final BatchReader reader = new BatchReader(new Decompressor(LARGE));

    private boolean keep(KeptBatches kept, CompressionType codec, int number, long from) {
        return keep(kept, codec, number, from, 7);
    }

    /** Reads a batch, copies it, and overwrites the original. */
    private boolean keep(KeptBatches kept, CompressionType codec, int number, long from, int partition) {
        ByteBuffer bytes = Batches.batch(codec, (long) number * PER_BATCH, Batches.records(number, PER_BATCH, 50));
        reader.of("t", partition, 3);
        reader.open(bytes, 0, bytes.limit(), from);
        reader.verify(true);
        reader.start();
        boolean taken = kept.add(reader);
        reader.close();
        for (int i = 0; i < bytes.capacity(); i++) {
            bytes.put(i, (byte) 0x55);
        }
        return taken;
    }

    private static List<Long> offsets(KeptBatches kept) {
        List<Long> offsets = new ArrayList<>();
        while (kept.next()) {
            RecordView record = kept.record();
            assertThat(record.topic()).isEqualTo("t");
            assertThat(record.partition()).isEqualTo(7);
            offsets.add(record.offset());
        }
        return offsets;
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void batches_ofAnyCodec_areShownOnceMore_fromThePositionOn(CompressionType codec) {
        KeptBatches kept = new KeptBatches(LARGE);
        assertThat(keep(kept, codec, 0, 4)).isTrue();
        assertThat(keep(kept, codec, 1, 10)).isTrue();
        assertThat(keep(kept, CompressionType.NONE, 2, 20)).isTrue();

        assertThat(kept.fromOffset()).isEqualTo(4);
        assertThat(kept.toOffset()).isEqualTo(30);
        assertThat(kept.recordCount()).isEqualTo(30);
        assertThat(offsets(kept)).isEqualTo(range(4, 30));
        kept.rewind();
        List<String> values = new ArrayList<>();
        while (kept.next()) {
            values.add(kept.record().value().toUtf8());
        }
        List<String> wanted = new ArrayList<>();
        for (int number = 0; number < 3; number++) {
            Batches.records(number, PER_BATCH, 50).forEach(record -> {
                byte[] value = record.value() == null
                        ? new byte[0]
                        : new byte[record.value().remaining()];
                if (record.value() != null) {
                    record.value().get(value);
                }
                wanted.add(new String(value, StandardCharsets.UTF_8));
            });
        }
        assertThat(values).isEqualTo(wanted.subList(4, 30));

        kept.clear();
        assertThat(kept.next()).isFalse();
        assertThat(keep(kept, codec, 5, 0)).isTrue();
        assertThat(offsets(kept)).isEqualTo(range(50, 60));
    }

    @Test
    void batchOfAnotherPartition_orOneTooMany_isNotTaken() {
        KeptBatches kept = new KeptBatches(1_500);
        assertThat(keep(kept, CompressionType.NONE, 0, 0)).isTrue();
        assertThat(keep(kept, CompressionType.NONE, 1, 0, 8)).isFalse();
        assertThat(keep(kept, CompressionType.NONE, 1, 0)).isTrue();
        assertThat(keep(kept, CompressionType.NONE, 2, 0)).isFalse();
        assertThat(offsets(kept)).isEqualTo(range(0, 20));
    }

    @Test
    void whatIsCutOff_isNotShown() {
        KeptBatches kept = new KeptBatches(LARGE);
        assertThat(keep(kept, CompressionType.NONE, 0, 0)).isTrue();
        assertThat(keep(kept, CompressionType.NONE, 1, 0)).isTrue();
        kept.cutAt(13);
        assertThat(offsets(kept)).isEqualTo(range(0, 13));
        assertThat(kept.next()).isFalse();
        assertThat(kept.toOffset()).isEqualTo(13);
    }
}
