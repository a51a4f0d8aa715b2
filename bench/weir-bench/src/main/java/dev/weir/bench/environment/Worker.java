package dev.weir.bench.environment;

import java.util.Set;

/**
 * A machine, host or pod that runs processes of a campaign. Immutable.
 *
 * @param place the location of the worker
 * @param image image of a pod that the campaign creates in the namespace of {@code place}; empty if {@code place}
 *     already exists
 * @param roles roles of the processes that run on the worker
 * @param java the program that starts a JVM on the worker
 * @param home folder on the worker with the same content as this command's checkout or archive; empty to copy the files
 *     that drivers need
 * @param clockAheadMillis number of milliseconds that the worker's clocks are ahead; used only in tests
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

    /** This machine, for all roles. */
    static Worker here() {
        return new Worker(new Place.Here(), "", Set.of(Role.values()), "", "", 0);
    }

    /** Returns a short name for display. */
    public String label() {
        return image.isEmpty() ? place.label() : "image " + image;
    }

    /** Returns whether the worker's processes run on this machine and share its clock. */
    public boolean isHere() {
        return place instanceof Place.Here && clockAheadMillis == 0;
    }
}
