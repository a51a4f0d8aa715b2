package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A target that records its calls, for example as {@code "ack 1"}. Not thread-safe. */
public final class RecordingTarget implements AckTarget {

    private final List<String> calls = new ArrayList<>();
    private final String place;
    private @Nullable RuntimeException thrown;
    private boolean revoked;

    public RecordingTarget() {
        this("");
    }

    /** Creates a target whose elements have places, such as {@code "a@1"}, unless {@code place} is empty. */
    public RecordingTarget(String place) {
        this.place = place;
    }

    /** Makes each end of an acknowledgement throw, after it was recorded. */
    public RecordingTarget throwing(RuntimeException each) {
        thrown = each;
        return this;
    }

    public RecordingTarget revoked() {
        revoked = true;
        return this;
    }

    /** Returns the calls since the last call of this method. */
    public List<String> calls() {
        List<String> all = List.copyOf(calls);
        calls.clear();
        return all;
    }

    private void end(String call) {
        calls.add(call);
        if (thrown != null) {
            throw thrown;
        }
    }

    @Override
    public void ack(long token) {
        end("ack " + token);
    }

    @Override
    public void forgo(long token) {
        end("forgo " + token);
    }

    @Override
    public void abandon(long token) {
        end("abandon " + token);
    }

    @Override
    public boolean isRevoked(long token) {
        return revoked;
    }

    @Override
    public boolean dropIfRevoked(long token) {
        if (revoked) {
            end("drop " + token);
        }
        return revoked;
    }

    @Override
    public String placeOf(long token) {
        return place.isEmpty() ? "" : place + "@" + token;
    }

    @Override
    public void retain(long token, int count) {
        calls.add("retain " + token + " +" + count);
    }
}
