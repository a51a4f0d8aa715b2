package dev.weir.kafka.internal.fetch;

import dev.weir.kafka.RecordDecodeException;
import dev.weir.lean.PartitionException;
import dev.weir.lean.RecordView;
import java.util.Optional;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** How records get out of the lean consumer's buffers. Functions only. */
public final class Views {

    /** None are copied: whoever decodes has seen them. Never written to, as nobody but this package has the records. */
    private static final RecordHeaders NO_HEADERS = new RecordHeaders();

    private static final byte[] NO_BYTES = {};

    private static final String WAY_OUT =
            "let the decoder return something else for such records, which the stages behind it can route or leave out";

    private Views() {}

    /** What is known of a record on its way, its size as that of its value, and in place of key and value what was made of them. */
    public static final class Decoded extends ConsumerRecord<byte[], byte[]> {

        public final Object result;

        private Decoded(RecordView view, Object result, Optional<Integer> leaderEpoch) {
            super(
                    view.topic(),
                    view.partition(),
                    view.offset(),
                    view.timestamp(),
                    view.timestampType(),
                    0,
                    view.sizeBytes(),
                    NO_BYTES,
                    NO_BYTES,
                    NO_HEADERS,
                    leaderEpoch);
            this.result = result;
        }
    }

    /** Makes no object for a leader epoch that is the last one again. Confined to one thread. */
    private static final class LeaderEpoch {

        private Optional<Integer> last = Optional.empty();

        Optional<Integer> of(RecordView view) {
            int epoch = view.leaderEpoch();
            if (last.orElse(-1) != epoch) {
                last = epoch < 0 ? Optional.empty() : Optional.of(epoch);
            }
            return last;
        }
    }

    /** Copies each record. */
    public static ConsumerRecord<byte[], byte[]> copy(RecordView view) {
        return view.toConsumerRecord();
    }

    /** Makes something of each record instead, failing with its place. */
    public static Function<RecordView, ConsumerRecord<byte[], byte[]>> decoding(Function<RecordView, ?> decoder) {
        LeaderEpoch leaderEpoch = new LeaderEpoch();
        return view -> {
            Object result;
            try {
                result = decoder.apply(view);
            } catch (PartitionException corrupt) {
                // Found when it looked at the headers: not of its making.
                throw corrupt;
            } catch (RuntimeException failure) {
                throw refused(view, failure);
            }
            if (result == null) {
                throw refused(view, new NullPointerException("the decoder returned null"));
            }
            return new Decoded(view, result, leaderEpoch.of(view));
        };
    }

    private static RecordDecodeException refused(RecordView view, RuntimeException cause) {
        return new RecordDecodeException(view.topic(), view.partition(), view.offset(), cause, WAY_OUT);
    }
}
