package dev.weir.kafka.internal.in.owner;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The static members that the pipelines of this process run. Thread-safe. */
final class StaticMembers {

    private final Set<Membership> running = ConcurrentHashMap.newKeySet();

    /**
     * Registers a member of one pipeline. The caller must end the membership with the pipeline.
     *
     * @param member names the member, its group, and its cluster
     */
    Membership enter(String member) {
        Membership membership = new Membership(member);
        running.add(membership);
        return membership;
    }

    /** The membership of one pipeline. Compared by identity, because several pipelines may run the same member. */
    final class Membership {

        private final String member;

        private Membership(String member) {
            this.member = member;
        }

        /** Returns whether another pipeline runs the same member. */
        boolean isShared() {
            return running.stream().anyMatch(other -> other != this && other.member.equals(member));
        }

        /** Ends the membership. Idempotent. */
        void end() {
            running.remove(this);
        }
    }
}
