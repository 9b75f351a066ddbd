/// What tripped a brake, in numbers.
package struct BrakeEvidence: Sendable, Equatable, CustomStringConvertible {
    /// The brake's name, as in the campaign file.
    package let name: BrakeName
    /// What the counted answers have in common, fit for "24 of 50 answers …".
    package let counted: String
    /// How many answers were counted against it.
    package let bad: Int
    /// Of how many answers.
    package let total: Int
    /// The share that was allowed.
    package let threshold: Share

    /// One sentence with the counts and the percentages.
    package var description: String {
        "\(bad) of \(total) answers (\(Share.percent(Int64(bad), of: Int64(total)))) \(counted); "
            + "\(threshold) are allowed (\(name.setting))."
    }

    /// The same for machines: a JSON object with `name`, `bad`, `total` and `threshold`, a
    /// fraction.
    package var json: String {
        "{\"name\": \"\(name)\", \"bad\": \(bad), \"total\": \(total), "
            + "\"threshold\": \(Double(threshold.millionths) / 1_000_000)}"
    }
}

/// What a brake says.
package enum BrakeState: Sendable, Equatable {
    /// Too few answers to say anything.
    case undecided
    /// Enough answers, and not too many bad ones.
    case holding
    /// Too many bad ones. It stays so.
    case tripped(BrakeEvidence)
}

/// A rule that stops a run before it does harm: a share of bad answers, judged from a minimum
/// sample on.
///
/// A brake that has tripped stays tripped, whatever comes after: the answers still under way must
/// not release it. *Ownership and thread*: a value, owned by whoever judges the answers.
package struct Brake: Sendable {
    /// The name, as in the campaign file.
    package let name: BrakeName
    /// What the counted answers have in common, fit for "24 of 50 answers …".
    package let counted: String
    /// The share above which it trips.
    package let threshold: Share
    /// The answers it waits for, at least 1.
    package let minimumSample: Int
    /// So many answers, all of them bad from the first on, are enough without a whole sample; nil:
    /// never.
    package let openingSample: Int?
    /// Answers counted against it so far.
    package private(set) var bad = 0
    /// Answers so far.
    package private(set) var total = 0
    private var evidence: BrakeEvidence?

    /// A brake that has seen nothing.
    ///
    /// - Parameters:
    ///   - name: The name, as in the campaign file.
    ///   - counted: What the bad answers have in common, fit for "24 of 50 answers …".
    ///   - threshold: The share above which it trips; exactly this share is still allowed.
    ///   - minimumSample: How many answers it waits for; less than 1 counts as 1.
    ///   - openingSample: How many are enough if not one of them was good; nil: never.
    package init(
        name: BrakeName, counted: String, threshold: Share, minimumSample: Int,
        openingSample: Int? = nil
    ) {
        self.name = name
        self.counted = counted
        self.threshold = threshold
        self.minimumSample = max(1, minimumSample)
        self.openingSample = openingSample
    }

    /// Counts one answer.
    ///
    /// - Parameter isBad: Whether it speaks against the set-up.
    /// - Returns: Whether the brake has tripped by now: cheaper to ask than ``state``.
    @discardableResult
    package mutating func record(bad isBad: Bool) -> Bool {
        record(bad: isBad ? 1 : 0, of: 1)
    }

    /// Counts answers in bulk, as after a resumed run.
    ///
    /// - Parameters:
    ///   - bad: How many speak against the set-up, 0 to `total`.
    ///   - total: Of how many.
    /// - Returns: Whether the brake has tripped by now.
    @discardableResult
    package mutating func record(bad: Int, of total: Int) -> Bool {
        self.bad += bad
        self.total += total
        if evidence == nil, isOver, self.total >= minimumSample || isHopeless {
            evidence = BrakeEvidence(
                name: name, counted: counted, bad: self.bad, total: self.total,
                threshold: threshold)
        }
        return evidence != nil
    }

    /// What the brake says now.
    package var state: BrakeState {
        if let evidence { return .tripped(evidence) }
        return total < minimumSample ? .undecided : .holding
    }

    /// Whether what was seen, however little, is no ground to doubt the set-up: the question at
    /// the end of a phase, before devices are marked. A sample too small to stop a run is judged
    /// by its share alone, so that five devices that were all refused are not marked.
    package var allowsMarking: Bool { evidence == nil && !isOver }

    private var isHopeless: Bool {
        guard let openingSample else { return false }
        return bad == total && total >= openingSample
    }

    private var isOver: Bool { threshold.isExceeded(by: bad, of: total) }
}
