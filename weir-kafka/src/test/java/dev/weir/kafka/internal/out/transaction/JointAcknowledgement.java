package dev.weir.kafka.internal.out.transaction;

import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.List;

/**
 * The target of an element that represents several inputs, such as a list of {@code grouped}. Its last acknowledgement
 * is passed on to each input. Confined to one thread.
 */
public class JointAcknowledgement implements AckTarget {

    private record Member(AckTarget target, long token) {}

    private final List<Member> members = new ArrayList<>();
    private int pending = 1;
    private boolean forgone;
    private boolean abandoned;

    public void add(AckTarget target, long token) {
        members.add(new Member(target, token));
    }

    @Override
    public void retain(long token, int further) {
        pending += further;
    }

    @Override
    public void ack(long token) {
        end();
    }

    @Override
    public void forgo(long token) {
        forgone = true;
        end();
    }

    @Override
    public void abandon(long token) {
        abandoned = true;
        end();
    }

    private void end() {
        if (--pending > 0) {
            return;
        }
        for (Member each : members) {
            if (abandoned) {
                each.target.abandon(each.token);
            } else if (forgone) {
                each.target.forgo(each.token);
            } else {
                each.target.ack(each.token);
            }
        }
    }

    @Override
    public boolean standsFor(long token, AckTarget of, long ofToken) {
        return members.stream().anyMatch(each -> each.target.standsFor(each.token, of, ofToken));
    }

    @Override
    public void roots(long token, RootVisitor visitor) {
        members.forEach(each -> each.target.roots(each.token, visitor));
    }
}
