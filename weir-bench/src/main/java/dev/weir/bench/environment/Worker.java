package dev.weir.bench.environment;

import java.util.Set;

/**
 * A place for processes of a campaign. Immutable.
 *
 * @param image image of a pod to create for the campaign, in the namespace of {@code place}; empty to use an existing
 *     place
 * @param roles which processes run there
 * @param java the program that starts a virtual machine there
 * @param home the folder there that holds what the checkout or archive of this command holds here; empty to copy what
 *     drivers need
 * @param clockAheadMillis for tests: offset of the clocks of processes there
 */
public record Worker(Place place, String image, Set<Role> roles, String java, String home, long clockAheadMillis) {

    /** The role of a process. */
    public enum Role {
        /** A library under test. */
        DRIVER,
        /** The sender of records. */
        GENERATOR
    }

    public Worker {
        roles = Set.copyOf(roles);
    }

    /** This machine, for everything. */
    static Worker here() {
        return new Worker(new Place.Here(), "", Set.of(Role.values()), "", "", 0);
    }

    /** For people, and short. */
    public String label() {
        return image.isEmpty() ? place.label() : "image " + image;
    }

    /** Returns whether processes there run on this machine and share its clock. */
    public boolean isHere() {
        return place instanceof Place.Here && clockAheadMillis == 0;
    }
}
