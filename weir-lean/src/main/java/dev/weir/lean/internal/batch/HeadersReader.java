package dev.weir.lean.internal.batch;

import dev.weir.lean.HeadersView;
import dev.weir.lean.Slice;
import dev.weir.lean.internal.wire.VarInts;
import java.nio.ByteBuffer;

/** Iterates over the current record's headers. {@link #next} parses one header. Confined to one thread. */
final class HeadersReader implements HeadersView {

    private final RecordReader record;
    private final Slice key = new Slice();
    private final Slice value = new Slice();

    private ByteBuffer bytes;
    private int at;
    private int end;
    private int count;
    private int left;

    HeadersReader(RecordReader record, ByteBuffer nothing) {
        this.record = record;
        this.bytes = nothing;
    }

    HeadersReader wrap(ByteBuffer bytes, int from, int to, int number) {
        this.bytes = bytes;
        this.at = from;
        this.end = to;
        this.count = number;
        this.left = number;
        return this;
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public boolean next() {
        if (left == 0) {
            return false;
        }
        left--;
        try {
            at = part(key);
            at = part(value);
        } catch (IndexOutOfBoundsException e) {
            throw record.corruptHeader("a header beyond its record", e);
        }
        if (key.isNull()) {
            throw record.corruptHeader("a header without a key", null);
        }
        if (left == 0 && at != end) {
            throw record.corruptHeader((end - at) + " bytes behind the last header", null);
        }
        return true;
    }

    private int part(Slice slice) {
        long packed = VarInts.signed(bytes, at);
        int length = VarInts.value(packed);
        int from = VarInts.next(packed);
        if (from > end || length > end - from || length < -1) {
            throw new IndexOutOfBoundsException("length " + length + " at " + from + " of " + end);
        }
        slice.wrap(bytes, from, length);
        return from + Math.max(0, length);
    }

    @Override
    public Slice key() {
        return key;
    }

    @Override
    public Slice value() {
        return value;
    }
}
