package dev.weir.kafka.internal.in.owner;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The static members of the pipelines in this process. Thread-safe. */
final class StaticMembers {

    private final Set<Membership> running = ConcurrentHashMap.newKeySet();

    /**
     * Registers a member of one pipeline. The caller must end the membership when the pipeline ends.
     *
     * @param member names the member, its group, and its cluster
     */
    Membership enter(String member) {
        Membership membership = new Membership(member);
        running.add(membership);
        return membership;
    }

    /** The membership of one pipeline. Compared by identity: several pipelines may run the same member. */
    final class Membership {

        private final String member;

        private Membership(String member) {
            this.member = member;
        }

        boolean isShared() {
            return running.stream().anyMatch(other -> other != this && other.member.equals(member));
        }

        void end() {
            running.remove(this);
        }
    }
}
