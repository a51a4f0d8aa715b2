package dev.weir.kafka.internal.in.commit;

import java.nio.BufferUnderflowException;
import java.util.List;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.Readable;
import org.apache.kafka.common.protocol.Writable;
import org.apache.kafka.common.protocol.types.RawTaggedField;

/**
 * The response to a {@link CommitRequest}. Reads only the errors and allocates nothing. Reusable. Confined to the owner
 * thread.
 *
 * <pre>
 *   throttle time (4)
 *   number of topics + 1
 *     topic, number of partitions + 1
 *       partition (4), error (2), tags
 *     tags
 *   tags
 * </pre>
 */
final class CommitResponse implements ApiMessage {

    private short error;

    /** Returns the first error of the last response, or {@link Errors#NONE}. */
    Errors error() {
        return Errors.forCode(error);
    }

    @Override
    public void read(Readable in, short version) {
        error = Errors.NONE.code();
        skip(in, Integer.BYTES);
        for (int topics = count(in); topics > 0; topics--) {
            skip(in, count(in));
            for (int partitions = count(in); partitions > 0; partitions--) {
                skip(in, Integer.BYTES);
                short code = in.readShort();
                error = error == Errors.NONE.code() ? code : error;
                skipTags(in);
            }
            skipTags(in);
        }
        skipTags(in);
    }

    /** Reads the size of a list or the length of a string. Null is not allowed. */
    private static int count(Readable in) {
        int count = in.readUnsignedVarint() - 1;
        if (count < 0) {
            throw new BufferUnderflowException();
        }
        return count;
    }

    private static void skipTags(Readable in) {
        for (int tags = in.readUnsignedVarint(); tags > 0; tags--) {
            int ignored = in.readUnsignedVarint();
            skip(in, in.readUnsignedVarint());
        }
    }

    private static void skip(Readable in, int bytes) {
        for (int left = bytes; left > 0; left--) {
            byte ignored = in.readByte();
        }
    }

    @Override
    public short apiKey() {
        return ApiKeys.OFFSET_COMMIT.id;
    }

    @Override
    public short lowestSupportedVersion() {
        return DirectCommit.COMMIT_VERSION;
    }

    @Override
    public short highestSupportedVersion() {
        return DirectCommit.MEMBER_VERSION;
    }

    @Override
    public List<RawTaggedField> unknownTaggedFields() {
        return List.of();
    }

    @Override
    public void addSize(MessageSizeAccumulator size, ObjectSerializationCache cache, short version) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void write(Writable out, ObjectSerializationCache cache, short version) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ApiMessage duplicate() {
        throw new UnsupportedOperationException();
    }
}
